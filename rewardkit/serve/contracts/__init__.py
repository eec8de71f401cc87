"""The shapes in which trainers call a reward over HTTP, one file each: their body in, our samples judged, their answer out."""
