# METADATA
# title: Messages for other tools
# description: |
#   Names of files and words of receipts stand in messages, and other tools print them as they are. A control character,
#   a line separator or a bidirectional mark would move a cursor or start a line of its own, such as a command that the
#   runner of a CI system reads. They are spelled out as \xNN or \uNNNN, as in our own reports. So is %: conftest takes
#   a message for a format, and GitHub's runner takes %0A for the end of a line.
package done_receipt_adapters.wording

# One line of text that acts nowhere. It is for reading, not for reading back.
plain(text) := strings.replace_n(spelled, text)

# What is denied or warned of, in one line: the message, what to do about it.
# A denial in a form that cannot be read is one all the same.
sentence(said) := plain(told) if {
	told := concat("", [said.code, term_of(said), ": ", said.message, solution_of(said)])
} else := plain(json.marshal(said))

term_of(said) := concat("", ["[", said.term, "]"]) if {
	is_string(said.term)
} else := ""

solution_of(said) := concat("", [" — ", said.solution]) if {
	is_string(said.solution)
	said.solution != ""
} else := ""

# Characters to what is written instead: C0, DEL and C1, the separators of lines and paragraphs, what turns the
# direction of writing or shows nothing, and the start of a command to a CI system's runner.
spelled["%"] := `\x25`

spelled["##"] := `\x23#`

spelled[character] := code_of(number) if {
	some number in hidden
	character := json.unmarshal(sprintf(`"\u%04x"`, [number]))
}

hidden contains number if {
	some [first, last] in [
		[0, 31],
		[127, 159],
		[173, 173],
		[1564, 1564],
		[6158, 6158],
		[8203, 8207],
		[8232, 8238],
		[8288, 8303],
		[65279, 65279],
		[65529, 65531],
	]
	some number in numbers.range(first, last)
}

code_of(number) := sprintf(`\x%02x`, [number]) if {
	number < 256
} else := sprintf(`\u%04x`, [number])
