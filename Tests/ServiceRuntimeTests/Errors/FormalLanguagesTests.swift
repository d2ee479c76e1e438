import ServiceRuntime
import Testing

@Suite("Languages with formal texts")
struct FormalLanguagesTests {
    private func load(_ arguments: String...) -> SettingsLoader.Outcome<FormalLanguages> {
        SettingsLoader(
            program: "test", summary: "a sample.", arguments: arguments, environment: [:]
        ).load(FormalLanguages.self)
    }

    @Test("by default none is formal")
    func standard() throws {
        guard case .run(let formal) = load() else { throw Refused() }
        #expect(formal == .none)
        #expect(Language.allCases.allSatisfy { formal.voice(of: $0) == Voice($0) })
    }

    @Test("a language of the setting has the formal voice, and no other")
    func voices() throws {
        guard case .run(let formal) = load("--formal-languages=de") else { throw Refused() }
        #expect(formal.contains(.german) && !formal.contains(.spanish))
        #expect(formal.voice(of: .german) == Voice(.german, isFormal: true))
        #expect(formal.voice(of: .spanish) == Voice(.spanish))
        guard case .run(let all) = load("--formal-languages=de,es") else { throw Refused() }
        #expect(all == .all)
        #expect(all.voice(of: .spanish) == Voice(.spanish, isFormal: true))
        #expect(all.voice(of: .french) == Voice(.french))
    }

    @Test(
        "a language without a formal voice is an error that says so",
        arguments: ["fr", "de-formal"])
    func refused(language: String) {
        guard case .exit(let text, exitCode: 78) = load("--formal-languages=\(language)") else {
            Issue.record("it was accepted")
            return
        }
        #expect(text.contains("other languages have no formal voice"))
    }

    private struct Refused: Error {}
}
