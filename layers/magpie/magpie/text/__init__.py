"""Pure leaves over strings: normal forms, sentences, facts, personal data, language."""
