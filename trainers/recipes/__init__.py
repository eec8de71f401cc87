"""One runnable recipe for each published system: `python -m rewardkit.trainers.recipes.gsm8k_agent --model ... --data ...`.

Each is a folder: `config.toml` with every hyper-parameter and data set, `__init__.py` with the data preparation, `__main__.py`.
"""
