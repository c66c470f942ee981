"""The page that explains the gold tables."""

README = """# Gold

The truth about this synthetic archive. All files are UTF-8 CSV with a header; empty means none or
not knowable; flags are `true` or `false`; times are UTC.

## runs.csv: one row a run

- `agent`, `wave`, `run_id`: the run. Run ids repeat between scopes.
- `idea_slug`: the idea of the same scope that the run tested; empty for sweeps, controls and
  decoys.
- `idea_knowable_by`: the first place that tells it. `name`: the run id, or the name of a variant
  that can itself be known, spells the slug or its code. `alias`: the run id holds a token that the
  write-up declares or that follows from the slug by joining its words or their initials. `journal`:
  THREAD.md names run, or its job id, and idea in one entry. `family`: it does so for another member
  of the run's family. Empty: there is an idea, but nothing tells which.
- `variant_path`: the file that the run executed, relative to the scratchpad.
- `variant_knowable_by`: the first of `ledger`, `embedded` (source in a log), `recompile` (torch's
  warnings), `stub`, `name` (run id and stem are equal but for prefixes, separators, seed and
  replicate) that tells it; empty when none does.
- `source_sha256`: of the source in the run's log, with `\\n` line ends, trailing blanks stripped
  from each line and one final newline; empty when no log holds it.
- `is_drifted`: that source differs from today's file. `is_variant_contradicted`: the launch stub
  names another file.
- `launched_at`, `launched_at_source`: the best time that is stated, and where: `log_header`,
  `log_torch` (a stamp without a year; the year is 2026), `ledger`, `ledger_date` (midnight stands
  for the day), `export`, `none`.
- `status`: what became of it; `is_status_misreported`: the ledger says otherwise.
- `n_trials`, `n_checkpoints`: all that the logs hold, several logs of one run counted once. A
  checkpoint line that is identical to an earlier one counts for nothing, unless a line `seed:<int>`
  stands between them. A trial begins where the step does not rise, or at a `trial:i/n` marker with
  another i. A last line that is cut off counts for nothing.
- `first_step`, `final_step`, `scheduled_steps`, `final_val_loss`, `min_val_loss`, `step_to_3_28`:
  of the first trial. NaN is never a minimum or a hit; a hit is a `val_loss` at or below 3.28.
- `outcome_source`: `log`; `ledger` where no log remains; empty where nothing states an outcome.
- `seed`: as the trainer printed it. `is_seed_forwarded`: the seed in the run's name reached the
  trainer.
- `family`: the recipe without seed, replicate, schedule and stop step.
- `mechanism`: a short phrase that names what the run changes.
- `has_log`, `in_ledger`, `is_exported`: where the run appears. `slurm_job`: its job. `quirk`: what
  is odd about its log.

## trials.csv: one row a trial

Trials count from 0. `first_step_le_3_28` is the first step with a hit.

## ideas.csv: one row a write-up or list entry

`first_seen_at` is the day of writing where the write-up or the journal states it. `token` is how
run ids name the idea. `rejected_at` is the day that the archive states for a rejection by audit or
by existence check. `is_written_after_first_run` marks planted
anomalies.

## quarantine.csv: one row a planted reject

`line` is empty when the whole file is meant; `byte_offset` is where the rejected bytes begin.
"""
"""Text of `gold/README.md`."""
