"""A change base..head of an examined repository, as the verifier asked for it: which commits, which trees, what moved.

`base` comes from the verifier: a full id, or the merge base with a target ref. It is an ancestor of head and not head
itself. With `onto` the tree that merging head onto that revision gives is what is examined, and what it is compared
with is that revision's tree: what the target gained meanwhile is not this change's doing.
"""

from pathlib import Path

from in_toto_done_receipt.errors import RepositoryRefused
from in_toto_done_receipt.observe.git.changes import Change, renames
from in_toto_done_receipt.observe.git.refs import FULL_ID, Revision
from in_toto_done_receipt.observe.git.repository import Repository
from in_toto_done_receipt.observe.git.trees import Listing
from in_toto_done_receipt.wire.value import Value


class Asked(Value, kw_only=True):
    """The revisions as the verifier names them. `base` and `target_ref` may both be missing: no base check is done."""

    head: str
    base: str | None = None
    target_ref: str | None = None
    onto: str | None = None


class GitChange(Value, kw_only=True):
    """What was asked for, as ids. `tree` is what is examined: head's, or the merged one.

    `baseline` is the tree that `tree` is compared with, None without a base. `head_ref` is the ref that head was read
    from, `target_tip` what the target ref holds now. `look_alikes` are refs that are called like one of the ids.
    """

    base: str | None
    head: str
    onto: str | None
    base_tree: str | None
    head_tree: str
    tree: str
    baseline: str | None
    head_ref: str | None
    target_ref: str | None
    target_tip: str | None
    look_alikes: tuple[str, ...]
    stores: tuple[Path, ...]
    confined: bool
    changes: tuple[Change, ...]
    renames: dict[bytes, bytes]
    listing: Listing
    base_listing: Listing | None

    @property
    def target_moved(self) -> bool:
        """Whether the target gained commits since base."""
        return self.target_tip is not None and self.target_tip != self.base


def open_change(repository: Repository, asked: Asked) -> GitChange:
    """Resolve and read the change. Raises RepositoryRefused.

    revision: a base that is no full id, a name that means nothing. base: base is head or no ancestor of it, or there is
    not exactly one merge base with the target. merge: conflicts.
    """
    head, head_revision = repository.commit_id(asked.head)
    revisions = [head_revision]
    base, target_ref, target_tip = _base(repository, asked, head, revisions)
    head_tree = repository.tree_of(head)
    onto = None
    if asked.onto is not None:
        onto, revision = repository.commit_id(asked.onto)
        revisions.append(revision)
    tree = head_tree if onto is None else repository.merged_tree(onto, head)
    base_tree = None if base is None else repository.tree_of(base)
    baseline = base_tree if onto is None or base is None else repository.tree_of(onto)
    changes = () if baseline is None else repository.differences(baseline, tree)
    return GitChange(
        base=base,
        head=head,
        onto=onto,
        base_tree=base_tree,
        head_tree=head_tree,
        tree=tree,
        baseline=baseline,
        head_ref=head_revision.ref,
        target_ref=target_ref,
        target_tip=target_tip,
        look_alikes=tuple(dict.fromkeys(name for revision in revisions for name in revision.look_alikes)),
        stores=repository.stores,
        confined=repository.confined,
        changes=changes,
        renames=renames(changes),
        listing=repository.listing(tree),
        base_listing=None if baseline is None else repository.listing(baseline),
    )


def _base(
    repository: Repository, asked: Asked, head: str, revisions: list[Revision]
) -> tuple[str | None, str | None, str | None]:
    """(base, target ref, its tip); each None if it was not asked for."""
    target_ref = target_tip = None
    if asked.target_ref is not None:
        target_tip, revision = repository.commit_id(asked.target_ref)
        target_ref = revision.ref or asked.target_ref
        revisions.append(revision)
    if asked.base is not None:
        if not FULL_ID.fullmatch(asked.base.encode("utf-8", "surrogateescape")):
            raise RepositoryRefused(
                f"base is {asked.base[:80]!a}, expected a full id",
                kind="revision",
                hint="whoever pushes can move a ref; git rev-parse gives the full id, --target-ref computes the base",
            )
        base, revision = repository.commit_id(asked.base)
        revisions.append(revision)
    elif target_tip is not None:
        bases = repository.merge_bases(target_tip, head)
        if len(bases) != 1:
            fact = f"{target_ref} and head have {len(bases)} merge bases, exactly one is wanted"
            raise RepositoryRefused(fact, kind="base", hint="name the base with --base")
        (base,) = bases
    else:
        return None, None, None
    if base == head:
        raise RepositoryRefused(f"base and head are both {head}", kind="base", hint="there is no change to look at")
    if not repository.is_ancestor(base, head):
        raise RepositoryRefused(f"base {base} is no ancestor of head {head}", kind="base")
    return base, target_ref, target_tip
