# The page's own tools; nobody needs them who doesn't change the viewer.

.PHONY: viewer viewer-test
viewer: $(STAMPS)/viewer
	npm run --silent build --prefix viewer
	$(MAKE) viewer-test

# What is committed must be what the sources give; then the tests, on pages made here.
viewer-test: $(STAMPS)/viewer rust-built
	npm run --silent check --prefix viewer
	rm -rf $(BUILD)/viewer && mkdir -p $(BUILD)/viewer/pages
	VIEWER_ASSETS=$(abspath $(BUILD)/viewer/assets) npm run --silent build --prefix viewer -- --logLevel warn
	diff -q $(BUILD)/viewer/assets crates/laptime-report/assets || { echo "the viewer's assets are stale: run make viewer" >&2; exit 1; }
	npm run --silent unit --prefix viewer
	for page in timer tables long run hostile million empty; do \
		$(TARGET)/debug/examples/pages $$page >$(BUILD)/viewer/pages/$$page.html; \
	done
	$(TARGET)/debug/examples/operations >$(BUILD)/viewer/pages/operations.html
	LAPTIME_TEST_PAGES=$(abspath $(BUILD)/viewer/pages) $(CHECKED) cargo test --quiet -p laptime-cli --test it -- hostile_texts
	VIEWER_PAGES=$(abspath $(BUILD)/viewer/pages) npm run --silent browser --prefix viewer
