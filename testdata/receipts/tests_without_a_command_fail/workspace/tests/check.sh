grep -q hello greeting.txt
