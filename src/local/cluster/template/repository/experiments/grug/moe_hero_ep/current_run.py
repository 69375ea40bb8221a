"""The hero run that this commit launches."""

CURRENT_HERO_RUN_ID = "hero-REPLACE_BEFORE_DEPLOYMENT"

if __name__ == "__main__":
    print(CURRENT_HERO_RUN_ID)
