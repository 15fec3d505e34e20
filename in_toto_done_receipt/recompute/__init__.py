"""Do the work again: checks give findings, the engine alone turns them into states, coverage and assurance."""
