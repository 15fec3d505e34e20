"""Tests cannot reach a network, nor a home."""

import os
import socket
import threading
from pathlib import Path

import pytest
import pytest_socket


def test_the_network_is_blocked() -> None:
    with pytest.raises(pytest_socket.SocketBlockedError):
        socket.socket()


@pytest.mark.loopback
def test_loopback_is_open_where_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: server.accept()[0].close())
        thread.start()
        socket.create_connection(server.getsockname(), timeout=5).close()
        thread.join()
    with pytest.raises(pytest_socket.SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 9), timeout=1)


def test_there_is_no_home() -> None:
    with pytest.raises(NotADirectoryError):
        Path.home().joinpath("anything").write_text("")
    assert [name for name in os.environ if name.startswith("GIT_")] == []
