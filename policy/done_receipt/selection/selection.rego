# METADATA
# title: What the rules say, as far as it counts
# description: |
#   What they object to, less what the profile excludes (by code, by category, by @collection, or one term of a rule by
#   code:term; never who signed and what was signed), and less what is not in force yet, which is announced instead.
package done_receipt.selection

import data.done_receipt.catalogue

# Categories that no profile leaves out and no exception waives.
protected := {"signature", "statement", "engine"}

# The one place that asks every rule; each such place makes the compiled module larger by a twentieth.
said[concat(".", [category, rule])] := data.done_receipt.rules[category][rule].violations if some category, rule

# Rule to what it objects to; only rules that object.
objections[code] := counting if {
	some code, violations in said
	count(violations) > 0
	not excluded(code)
	not future(code)
	counting := counted(code, violations)
	count(counting) > 0
}

# The same of rules that will be in force later.
announced[code] := said[code] if {
	some code, _ in catalogue.effective_on
	future(code)
	not excluded(code)
}

# Rules that object to nothing but terms that the profile leaves out.
cleared contains code if {
	some code in narrowed
	count(said[code]) > 0
	every violation in said[code] {
		left_out(code, violation)
	}
}

# One term of a rule that is demanded, and nothing that the rule objects to is about it. A silent rule says nothing.
spared contains demand if {
	some demand in termed_demands
	code := split(demand, ":")[0]
	not answers_by_term[code]
	count(said[code]) > 0
	not spoken_of[code][null]
	not spoken_of[code][demand]
}

# Rules that are satisfied term by term, by themselves.
answers_by_term := {"profile.evidence"}

# Rule to the terms that it objects to, as a demand names them; null for an objection that is about no term.
spoken_of[code] contains named if {
	some demand in termed_demands
	code := split(demand, ":")[0]
	some violation in said[code]
	named := term_of(code, violation)
}

term_of(code, violation) := concat("", [code, ":", violation.term]) if {
	is_string(violation.term)
} else := null

termed_demands contains demand if {
	is_array(input.demanded)
	some demand in input.demanded
	is_string(demand)
	contains(demand, ":")
}

selectors contains selector if {
	is_array(input.profile.exclude)
	some selector in input.profile.exclude
	is_string(selector)
}

excluded(code) if {
	count(selectors) > 0
	category := split(code, ".")[0]
	not protected[category]
	some name in names_of(category, code)
	selectors[name]
}

# What a selector may call the rule.
names_of(category, code) := {category, code} | {concat("", ["@", collection]) |
	some collection, codes in catalogue.collections
	code in codes
}

# The rule is to be in force later than this verification. A time that cannot be read is not later.
future(code) if later(catalogue.effective_on[code], input.evaluatedAt)

counted(code, violations) := violations if {
	not narrowed[code]
	not pinned[code]
} else := {violation |
	some violation in violations
	not left_out(code, violation)
	not unpinned(code, violation)
}

# Rules of which some terms are left out.
narrowed contains code if {
	some selector in selectors
	contains(selector, ":")
	code := split(selector, ":")[0]
	not protected[split(code, ".")[0]]
}

left_out(code, violation) if {
	narrowed[code]
	selectors[concat("", [code, ":", violation.term])]
}

# Rules that are demanded for some of their terms only.
pinned contains code if {
	some demand in termed_demands
	code := split(demand, ":")[0]
	not code in input.demanded
}

unpinned(code, violation) if {
	pinned[code]
	is_string(violation.term)
	not termed_demands[concat("", [code, ":", violation.term])]
}

# Of two times in UTC (RFC 3339, Z) the first is later, to the second.
later(one, other) if to_the_second(one) > to_the_second(other)

to_the_second(moment) := substring(moment, 0, 19) if {
	is_string(moment)
	count(moment) >= 20
	endswith(moment, "Z")
	[substring(moment, n, 1) | some n in [4, 7, 10, 13, 16]] == ["-", "-", "T", ":", ":"]
}
