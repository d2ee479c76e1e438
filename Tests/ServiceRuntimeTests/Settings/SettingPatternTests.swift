import Testing

@testable import ServiceRuntime

@Suite("R-06: patterns for names of settings")
struct SettingPatternTests {
    @Test(
        "R-06: a star matches any letters, or none",
        arguments: [
            ("failed-*-count", "failed-sign-in-count", true), ("failed-*", "failed-", true),
            ("*", "", true), ("*", "anything", true), ("*-count", "sign-up-count", true),
            ("a*b*c", "abc", true), ("a*b*c", "a-b-b-c", true), ("a*b*c", "acb", false),
            ("a*a", "a", false), ("a*a", "aa", true), ("**", "x", true),
            ("failed-*-count", "failed-count", false), ("failed-*", "Failed-a", false),
            ("*ab", "aab", true), ("*a*b", "ba", false),
        ])
    func fits(pattern: String, name: String, isFitting: Bool) {
        #expect(SettingPattern(pattern)?.fits(name) == isFitting)
    }

    @Test("R-06: a name without a star is not a pattern", arguments: ["", "a", "failed-sign-in"])
    func none(name: String) {
        #expect(SettingPattern(name) == nil)
    }
}
