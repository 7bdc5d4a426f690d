"""What stands behind the tools of `pubmed_articles`. None of it knows which tool is calling."""
