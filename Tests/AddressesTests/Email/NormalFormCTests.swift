import Addresses
import Testing

@Suite("Normalization Form C, by which stored addresses and passwords are found again")
struct NormalFormCTests {
    @Test(
        "texts of Unicode's first versions keep their form with every compiler",
        arguments: [
            ("e\u{301}", "\u{e9}"), ("\u{e9}", "\u{e9}"),
            // Marks in either order: dot below comes first.
            ("a\u{323}\u{302}", "\u{1ead}"), ("a\u{302}\u{323}", "\u{1ead}"),
            // Hangul, of letters and of a syllable with a last letter.
            ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("\u{ac00}\u{11a8}", "\u{ac01}"),
            // Singletons, and what UAX #15 excludes from composition.
            ("\u{212b}", "\u{c5}"), ("\u{212a}", "K"), ("\u{344}", "\u{308}\u{301}"),
            ("\u{958}", "\u{915}\u{93c}"), ("\u{915}\u{93c}", "\u{915}\u{93c}"),
            // Form C keeps compatibility characters.
            ("\u{fb01}", "\u{fb01}"), ("abc", "abc"), ("", ""),
        ])
    func pinned(text: String, form: String) {
        #expect(NormalFormC.utf8(of: text) == Array(form.utf8))
        var scalars = String.UnicodeScalarView()
        NormalFormC.forEachScalar(of: text) { scalars.append($0) }
        #expect(Array(String(scalars).utf8) == Array(form.utf8))
    }
}
