"""
A website's pages on their way into the corpus.

    page_file  a page as a file of the corpus: its address and validators, then its bytes as they came
    places     which file a page is: an address' place in the corpus, the page's identity from then on
    sitemaps   the addresses that a sitemap lists
    visiting   pages asked about one by one: new, changed, the same, gone, or no answer
"""
