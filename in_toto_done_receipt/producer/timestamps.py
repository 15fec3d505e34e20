"""RFC 3161 timestamps over a signature: the request, and whether the answer is one to it.

Does not verify who signed the token: the finished bundle is verified as a whole.
"""

import hashlib
from typing import Final

from in_toto_done_receipt.errors import ProducerError
from in_toto_done_receipt.producer.calls import Deadline, Request, Service, call

MAX_TOKEN_BYTES: Final = 64 << 10  # with a chain of certificates 5 KiB


def request_timestamp(tsa: Service, signature: bytes, deadline: Deadline) -> bytes:
    """The response of the authority, DER, over this signature. Raises ProducerError."""
    from rfc3161_client import HashAlgorithm, PKIStatus, TimestampRequestBuilder, decode_timestamp_response

    wanted = TimestampRequestBuilder().hash_algorithm(HashAlgorithm.SHA256).data(signature).nonce(nonce=True).build()
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    answer = call(tsa, Request(body=wanted.as_bytes(), headers=headers), deadline)
    if len(answer.body) > MAX_TOKEN_BYTES:
        raise ProducerError(f"{tsa.named}: the answer has {len(answer.body)} bytes, at most {MAX_TOKEN_BYTES} are read")
    try:
        response = decode_timestamp_response(answer.body)
        status = response.status
        if status not in (PKIStatus.GRANTED, PKIStatus.GRANTED_WITH_MODS):
            raise ProducerError(f"{tsa.named}: no timestamp, status {status}")
        info = response.tst_info
        answered = info.nonce == wanted.nonce and info.message_imprint.message == hashlib.sha256(signature).digest()
    except ValueError:
        raise ProducerError(f"{tsa.named}: the answer is no RFC 3161 timestamp") from None
    if not answered:
        raise ProducerError(f"{tsa.named}: the timestamp is not over this signature, or of another request")
    return response.as_bytes()
