"""Builds a store on Ray: parts of the data are read and sorted by the cores of a cluster."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import ray

from actors.supervisor import Supervisor, stop
from actors.tasks import join
from sim.config.schema import ClusterConfig
from sim.errors import ClusterLostError
from sim.release.store.build import Builder, Limits, Progress, build_here
from sim.release.store.build_apart import UndividedError, build_apart
from sim.release.store.cells import Source
from sim.release.store.manifest import Manifest

log = logging.getLogger("standout")


def on_ray(cluster: ClusterConfig) -> Builder:
    """Return the builder for ``cluster.kind`` local and address; see `sim.session.runners`.

    A program that has connected to Ray itself keeps its own cluster.
    """

    def built(source: Source, work: Path, limits: Limits, progress: Progress) -> Manifest:
        try:
            if not ray.is_initialized():
                return _Build(cluster).build(source, work, limits, progress)
            tasks = join(**vars(cluster))
            try:
                return build_apart(source, work, limits, progress, tasks)
            finally:
                tasks.close()
        except UndividedError as error:
            log.info("%s; one process reads and sorts it", error)
            return build_here(source, work, limits, progress)

    return built


class _Build(Supervisor):
    """A build by a driver; begun again when Ray breaks off."""

    _goes_on, _later = "the build begins again", ""

    def __init__(self, cluster: ClusterConfig) -> None:
        self._begin(cluster, "join", vars(cluster))

    def build(self, source: Source, work: Path, limits: Limits, progress: Progress) -> Manifest:
        """See `sim.release.store.build_apart.build_apart`.

        Raises
        ------
        OSError
            The store cannot be written.
        """
        try:
            while True:
                try:
                    found = self._built(source, work, limits, progress)
                except ClusterLostError as error:
                    self._begin_again(error)
                    shutil.rmtree(work)
                    work.mkdir()
                else:
                    break
        finally:
            stop()
        if isinstance(found, OSError):
            raise found
        return found

    def _built(
        self, source: Source, work: Path, limits: Limits, progress: Progress
    ) -> Manifest | OSError:
        found: list[Manifest | OSError] = []
        for word, *given in self._asked("build", source, work, limits):
            if word == "progress":
                progress(*given)
            else:
                found += given
        return found[0]
