import Testing

@testable import PersonalData

@Suite("I-07: patterns are I-Regexp (RFC 9485)", .timeLimit(.minutes(1)))
struct TextPatternTests {
    @Test(
        "I-07: a pattern matches whole texts only",
        arguments: [
            // RFC 9485, section 8: a pattern for a string of ASCII digits, and others of its kind.
            ("[0-9]+", ["0", "1234"], ["", "12a", "a12", " 1"]),
            ("", [""], ["a"]), ("a|b|", ["a", "b", ""], ["ab", "c"]),
            ("ab*c", ["ac", "abc", "abbbc"], ["a", "abb", "abcd"]),
            ("ab+c", ["abc", "abbc"], ["ac"]), ("ab?c", ["ac", "abc"], ["abbc"]),
            ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaaa"], ["a"]),
            ("a{1,3}", ["a", "aa", "aaa"], ["", "aaaa"]), ("a{0}", [""], ["a"]),
            ("(ab|cd){2}", ["abcd", "cdcd"], ["ab", "abc"]), ("()", [""], ["a"]),
            ("a.c", ["abc", "a\u{1F600}c", "a.c"], ["a\nc", "a\rc", "ac"]),
            ("a\\.c", ["a.c"], ["abc"]), ("\\n\\r\\t", ["\n\r\t"], ["nrt"]),
            ("\\(\\)\\*\\+\\-\\?\\[\\\\\\]\\^\\{\\|\\}", ["()*+-?[\\]^{|}"], [""]),
            // Ordinary characters in I-Regexp.
            ("^a$", ["^a$"], ["a"]), ("a/b,c-d", ["a/b,c-d"], [""]),
            ("[a-c-]", ["a", "b", "-"], ["d"]), ("[-a]", ["-", "a"], ["b"]), ("[-]", ["-"], [""]),
            ("[^a-c]", ["d", "\n", "é"], ["a", "c", ""]), ("[\\]\\-^]", ["]", "-", "^"], ["\\"]),
            ("[a\\n]", ["a", "\n"], ["n"]), ("[$.*]", ["$", ".", "*"], ["a"]),
            ("\\p{L}+", ["é", "Ж", "あ", "abc"], ["1", "a1", ""]),
            ("\\p{Lu}", ["A", "É"], ["a", "1"]), ("\\P{L}", ["1", " "], ["a"]),
            ("[\\p{Nd}_]+", ["1_", "٣"], ["a"]), ("[^\\p{L}\\p{N}]", [" ", "-"], ["a", "1"]),
            ("\\p{Sc}[0-9]{1,3}", ["€5", "$999"], ["5", "€1000"]),
            ("[\u{1F600}-\u{1F602}]", ["\u{1F601}"], ["\u{1F603}"]),
            // Unicode scalars, not what a reader sees as one character.
            (".", ["é"], ["e\u{301}", "🇩🇪"]),
        ] as [(String, [String], [String])])
    func matches(text: String, accepted: [String], refused: [String]) throws {
        let pattern = try TextPattern(text)
        for text in accepted { #expect(pattern.matches(text), "\(text)") }
        for text in refused { #expect(!pattern.matches(text), "\(text)") }
    }

    @Test(
        "I-07: what is not I-Regexp is refused",
        arguments: [
            "(", ")", "(a", "a)", "[", "]", "{", "}", "a{", "a{}", "a{,2}", "a{2", "a{2,1}", "a{x}",
            "*", "+a", "?", "a**", "a+?", "a*?", "a{1}{2}", "|*", "(*a)", "\\", "\\d", "\\w", "\\s",
            "\\b", "\\1", "\\u0041", "\\x41", "\\$", "\\/", "\\p", "\\pL", "\\p{}", "\\p{X}",
            "\\p{L", "\\p{Latin}", "\\p{IsGreek}", "\\p{Cs}", "\\p{Luu}", "[]", "[^]", "[a", "[]a]",
            "[b-a]", "[a-\\p{L}]", "[--a]", "[a-b-c]", "[a[b]]", "[\\d]", "(?:a)", "(?i)a", "(?=a)",
            "(?<n>a)", "a{1,2", "a{99999999999999999999}",
        ])
    func refused(text: String) {
        #expect(throws: PatternError.self) { try TextPattern(text) }
    }

    @Test("I-07: a pattern has at most 256 bytes")
    func bytes() throws {
        #expect(try TextPattern(String(repeating: "a", count: 256)).matches("a") == false)
        #expect(throws: PatternError.self) { try TextPattern(String(repeating: "a", count: 257)) }
        #expect(throws: PatternError.self) { try TextPattern(String(repeating: "é", count: 129)) }
    }

    @Test(
        "I-07: repetitions that would need too many states are refused",
        arguments: [
            "a{1000}", "a{0,500}", "(a{100}){100}", "((((a{10}){10}){10}){10}){10}",
            "(((){999}){999}){999}", "((a|b|c){20}){20}", "(a*){999}",
        ])
    func states(text: String) {
        #expect(throws: PatternError.self) { try TextPattern(text) }
    }

    @Test(
        "I-07: the deepest nesting and the largest pattern are read",
        arguments: [
            String(repeating: "(", count: 127) + "a" + String(repeating: ")", count: 127), "a{999}",
            "[a-z]{1,400}", String(repeating: "a|", count: 127),
        ])
    func largest(text: String) throws {
        #expect(try !TextPattern(text).matches("!"))
    }

    @Test(
        "I-07: hostile patterns take time in proportion to the text",
        arguments: [
            "(a*)*b", "(a+)+b", "(a|a)*b", "(a|aa)+b", "(a|b|ab)*c", "((a*)*)*b",
            "(.*)(.*)(.*)(.*)b", "(a?){50}a{50}b", "(a{0,9}){0,9}b", "[a-z]{1,400}b",
        ])
    func linear(text: String) throws {
        let pattern = try TextPattern(text)
        let time = ContinuousClock().measure {
            // With repeated tries, some of these would not end before the sun does.
            #expect(!pattern.matches(String(repeating: "a", count: 64 * 1_024)))
        }
        #expect(time < .seconds(30))
    }
}
