"""What answers teach: scores, grades, gaps, drafts."""
