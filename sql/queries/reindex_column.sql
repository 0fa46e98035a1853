-- Room for vectors of another model beside the live ones.
ALTER TABLE rag_chunks ADD COLUMN next_{column} vector({dimension})
