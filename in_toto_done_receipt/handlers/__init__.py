"""The plug-in face: what a host pipeline loads by predicateType, built in or through an entry point."""
