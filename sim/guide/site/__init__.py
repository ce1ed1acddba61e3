"""How the guide becomes a site (``make site``): settings of Sphinx, and pages that only it has."""
