"""A hostile git repository, read without ever being git's own directory (design, verification, Clean room).

places, refs        our own bounded reading of HEAD, refs, packed-refs, alternates
view, process       a scratch repository over links to loose objects and packs; one `git cat-file`
objects             every id computed again before a byte is used
trees, changes      budgets before listings, differences that never read equal subtrees
history             ancestors and merge bases
compose, write      trees put together in memory and written once
merge               a merge tree, from verified objects only
repository          all of it, behind one door
"""
