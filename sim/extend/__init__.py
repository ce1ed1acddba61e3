"""How a class states its options, and how classes of plug-ins are found."""
