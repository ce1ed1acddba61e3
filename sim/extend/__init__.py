"""Options of classes, and registries of classes and plug-ins."""
