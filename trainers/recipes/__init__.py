"""One runnable recipe for each seed system: `python -m trainers.recipes.gsm8k_agent --model ... --data ...`.

Each is a folder: `config.toml` with every hyper-parameter, `data.py` with the data preparation, `__main__.py`.
"""
