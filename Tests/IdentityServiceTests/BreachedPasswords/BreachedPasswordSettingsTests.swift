import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: the settings of leaked passwords")
struct BreachedPasswordSettingsTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write(LeakedPasswords.text(["Leaked7Horse"]), to: "pwned.txt")
    }

    private func load(_ values: [String: String]) throws -> IdentitySettings {
        var environment: [String: String] = [:]
        for (name, value) in values { environment["POSTERN_BREACHED_PASSWORDS\(name)"] = value }
        return try SettingsLoader.settings(environment: environment)
    }

    private func refusal(_ values: [String: String]) -> String {
        do {
            _ = try load(values)
            return "taken"
        } catch let refused as SettingsRefused {
            return refused.text
        } catch {
            return "\(error)"
        }
    }

    @Test("I-02: by default nothing is looked up, and the rule is not among the others")
    func off() throws {
        let settings = try load([:])
        #expect(settings.breachedPasswords.mode == .off)
        #expect(!settings.passwordRules.contains(.breached))
        // A file without the mode is not opened.
        #expect(try load(["_FILE": folder.file("none.txt")]).breachedPasswords.mode == .off)
    }

    @Test("I-02: a file, and services by https or on this machine, are taken")
    func taken() throws {
        let settings = try load(["": "file", "_FILE": path, "_COUNT": "5"])
        #expect(settings.breachedPasswords.mode == .file)
        #expect(settings.breachedPasswords.countMin == 5)
        #expect(settings.passwordRules.last == .breached)
        #expect(try load(["": "service"]).passwordRules.last == .breached)
        for url in [
            "https://pwned.example.org/range/", "https://pwned.example.org:8443",
            "http://127.0.0.1:8080/range", "http://localhost/range", "http://[::1]:80/range",
        ] {
            #expect(try load(["": "service", "_URL": url]).breachedPasswords.mode == .service)
        }
    }

    @Test(
        "I-02: what could not be looked up, or digits sent in clear, are refused",
        arguments: [
            (["": "on"], "one of off, file, service"),
            (["": "file"], "breached-passwords: file needs breached-passwords-file"),
            (["": "service", "_URL": "http://pwned.example.org/range"], "must be https"),
            (["": "service", "_URL": "http://127.0.0.1.example.org/range"], "must be https"),
            (["": "service", "_URL": "https://a:b@pwned.example.org/range"], "must be https"),
            (["": "service", "_URL": "https://pwned.example.org/range?prefix="], "must be https"),
            (["": "service", "_URL": "https://pwned.example.org/range#a"], "must be https"),
            (["": "service", "_URL": "pwned.example.org"], "must be https"),
            (["_COUNT": "0"], "from 1 to"),
        ] as [([String: String], String)])
    func refused(values: [String: String], said: String) {
        #expect(refusal(values).contains(said))
    }

    @Test("I-02: a file that is missing or not sorted is refused, with its path")
    func file() throws {
        let lines = LeakedPasswords.lines((0..<20).map { ("listed\($0)", 1) })
        let turned = lines.reversed().joined(separator: "\n")
        for (path, said) in [
            (folder.file("none.txt"), "cannot be opened"),
            (try folder.write(turned, to: "turned.txt"), "is not sorted"),
        ] {
            let text = refusal(["": "file", "_FILE": path])
            #expect(text.contains("\(path) \(said)"))
        }
    }
}
