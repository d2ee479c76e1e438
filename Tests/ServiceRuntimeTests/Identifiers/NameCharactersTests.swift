import ServiceRuntime
import Testing

@Suite("Names of ASCII characters")
struct NameCharactersTests {
    @Test("a name has characters of the kinds and marks that are allowed, and no others")
    func kinds() {
        let bytes = (0...127).map { String(UnicodeScalar(UInt8($0))) }
        func accepted(_ kinds: NameCharacters, _ marks: String = "") -> String {
            bytes.filter { $0.isName(1...1, kinds, marks: marks) }.joined()
        }
        let lower = "abcdefghijklmnopqrstuvwxyz"
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        #expect(accepted([]) == "")
        #expect(accepted(.lower) == lower)
        #expect(accepted(.upper) == upper)
        #expect(accepted(.digit) == "0123456789")
        #expect(accepted(.letter) == upper + lower)
        #expect(accepted([.lower, .digit], "_-") == "-0123456789_" + lower)
        #expect(accepted([], "./") == "./")
    }

    @Test("a name has as many bytes as are allowed")
    func length() {
        #expect(!"".isName(1...3, .lower))
        #expect("".isName(0...3, .lower))
        #expect("a".isName(1...3, .lower) && "abc".isName(1...3, .lower))
        #expect(!"abcd".isName(1...3, .lower))
        #expect("abc-def".dropFirst(4).isName(3...3, .lower))
    }

    @Test(
        "letters and digits of other scripts, marks that combine and spaces are in no name",
        arguments: [
            "é", "e\u{301}", "٣", "ß", "ａ", "a\u{200D}", "-\u{301}", "\u{212A}", "a\0", "a b",
        ])
    func others(text: String) {
        #expect(!text.isName(1...64, [.letter, .digit], marks: "-"))
    }
}
