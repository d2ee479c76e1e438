import Cryptography
import Foundation
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// As `AuthenticatorAppTests`, with secrets of our own and the library itself.
@Suite("F-04: authenticator apps, with the codes of pyotp", .timeLimit(.minutes(2)))
struct AuthenticatorPeerTests {
    private static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let python = "\(checkout)/.build/venv/bin/python"
    private static let isThere = FileManager.default.isExecutableFile(atPath: python)

    /// An app that is being set up, at a moment.
    private struct Begun {
        let app: AppSetUp
        let moment: Timestamp
        let issuer: String
        let name: String

        /// As `totp_codes.py` reads it.
        var line: String {
            let names = [issuer, name].map { Hex.encode(Array($0.utf8)) }
            return ([String(moment.milliseconds / 1_000)] + names + [app.begun.uri])
                .joined(separator: ",")
        }
    }

    /// The five codes of each app, two steps to each side, as pyotp shows them.
    private func codes(_ apps: [Begun], in folder: TemporaryFolder) throws -> [[String]] {
        let path = try folder.write(
            apps.map { $0.line + "\n" }.joined(), to: "apps.txt")
        let run = try SystemCommand(
            Self.python, ["\(Self.checkout)/Tests/Interop/totp_codes.py", path], withErrors: true)
        #expect(run.exitCode == 0, "\(run.said)")
        return run.said.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test(
        "1,000 secrets of ours at as many times have its codes, two steps to each side",
        .enabled(if: isThere, "docker/test.sh makes the Python environment"))
    func secrets() async throws {
        let fixture = try IdentityFixture(adjusting: { $0.appName = "Tea & Cake + 1" })
        let account = try await fixture.registerProved("ada+tag@example.org").accountId
        let randomness = SeededRandomness(seed: SoakRounds.seed ?? 51)
        var apps: [Begun] = []
        for _ in 0..<1_000 {
            fixture.time.advance(by: .milliseconds(Int64(randomness.next() % 1_000_000_000)))
            let token = fixture.devices.open(account)
            apps.append(
                Begun(
                    app: try await fixture.beginApp(token), moment: fixture.time.now(),
                    issuer: "Tea & Cake + 1", name: "ada+tag@example.org"))
        }
        #expect(Set(apps.map(\.app.begun.secret)).count == apps.count)
        let codes = try codes(apps, in: fixture.folder)
        try #require(codes.count == apps.count)
        for (begun, theirs) in zip(apps, codes) {
            let ours = (Int64(-2)...2).map { offset in
                begun.app.code(at: begun.moment + .seconds(30 * offset))
                    .withBytes { String(decoding: $0, as: UTF8.self) }
            }
            #expect(ours == theirs, "\(begun.line)")
        }
    }

    @Test(
        "the code that it shows by our address confirms the app, whatever the names are",
        .enabled(if: isThere, "docker/test.sh makes the Python environment"),
        arguments: [
            "Postern", "Tea & Cake + 1", "100 % #1?", "Aé日本 𝒳", "a:b: c", "<x y=\"z\">/..//", "",
            "+%20", "%00?secret=AAAA&issuer=x",
        ])
    func confirms(name: String) async throws {
        let fixture = try IdentityFixture(adjusting: { $0.appName = name })
        let account = try await fixture.registerProved("o'brien&sons=1@example.org").accountId
        let token = fixture.devices.open(account)
        let begun = Begun(
            app: try await fixture.beginApp(token), moment: fixture.time.now(),
            issuer: name.replacing(":", with: ""), name: "o'brien&sons=1@example.org")
        let shown = try #require(try codes([begun], in: fixture.folder).first)
        try #require(shown.count == 5)
        let answer = try await fixture.confirm(begun.app, .init(text: shown[2]), in: token)
        #expect(answer.factor?.kind == "totp")
        // The next one signs in.
        fixture.time.advance(by: .seconds(30))
        let challenge = try await fixture.challenge {
            try await fixture.signIn("o'brien&sons=1@example.org")
        }
        let signedIn = try await fixture.complete(
            challenge, .totpCode(.init(text: shown[3])))
        #expect(signedIn.admission?.proof?.accountId == account)
    }
}
