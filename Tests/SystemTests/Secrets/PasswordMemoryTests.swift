import Cryptography
import Foundation
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Passwords in the memory of the programs")
    struct PasswordMemory {
        /// What is promised: 2 s after its answer a password is nowhere.
        private static let goneWithin = Duration.seconds(2)

        /// A password that was typed, and where.
        private struct Typed {
            let kind: String
            let text: String
        }

        /// Three tries, or as many as `POSTERN_SOAK_ROUNDS` says. Odd ones are as long as a String
        /// keeps in itself, even ones are longer.
        @Test("B9: a password that was typed is in no program's memory 2 s after the answer")
        func typed() async throws {
            try await with { cluster in
                for number in 1...SoakRounds.count(ordinarily: 3) {
                    let person = Person(number)
                    let (right, wrong) = (canary(number), canary(number))
                    let signUp = try await cluster.auth(
                        "SignUpWithPassword", person.credentials(right), from: person.address)
                    #expect(signUp.exitCode == 0, "\(signUp.json)")
                    #expect(try await cluster.signIn(person, right).exitCode == 0)
                    #expect(
                        try await cluster.signIn(person, wrong).code == "auth/invalid-credential")
                    try await Task.sleep(for: Self.goneWithin)
                    let typed = [
                        Typed(kind: "right", text: right), Typed(kind: "wrong", text: wrong),
                    ]
                    expectNone(of: typed, cluster, "try \(number)")
                }
            }
        }

        @Test("B9: passwords of a reset and of a change, old and new, are not in memory either")
        func replaced() async throws {
            try await with { cluster in
                for number in 1...SoakRounds.count(ordinarily: 2) {
                    let person = Person(number)
                    let first = canary(number)
                    let signUp = try await cluster.auth(
                        "SignUpWithPassword", person.credentials(first), from: person.address)
                    #expect(signUp.exitCode == 0, "\(signUp.json)")
                    let (reset, wrong, new) = (canary(number), canary(number), canary(number))
                    let token = try await resetToken(of: person, cluster)
                    let answer = try await ask(
                        "ResetPassword",
                        [
                            "token": token, "password": reset,
                            "device": ["deviceId": person.device, "platform": "cli"],
                        ], person, cluster)
                    let session = try answer.read(SignedIn.self).session
                    var change: [String: Any] = [
                        "currentPassword": wrong, "newPassword": new,
                    ]
                    let refused = try await ask("ChangePassword", change, person, cluster, session)
                    #expect(refused.code == "auth/invalid-credential")
                    change["currentPassword"] = reset
                    let changed = try await ask("ChangePassword", change, person, cluster, session)
                    #expect(changed.exitCode == 0, "\(changed.json)")
                    try await Task.sleep(for: Self.goneWithin)
                    let typed = [
                        Typed(kind: "first", text: first), Typed(kind: "reset", text: reset),
                        Typed(kind: "wrong", text: wrong), Typed(kind: "new", text: new),
                    ]
                    expectNone(of: typed, cluster, "try \(number)")
                }
            }
        }

        /// As many tries as `POSTERN_SOAK_ROUNDS` says. Without TLS, as above.
        @Test(
            "B9: passwords by JSON over HTTP/1.1 and HTTP/2 are not in memory either",
            arguments: ["--http1.1", "--http2-prior-knowledge"])
        func byHTTP(version: String) async throws {
            try await with { cluster in
                let web = try WebClient(cluster)
                for number in 1...SoakRounds.count(ordinarily: 4) {
                    let person = Person(number)
                    let (right, wrong) = (canary(number), canary(number))
                    func ask(_ method: String, _ password: String) async throws -> Int {
                        let json = try JSONSerialization.data(
                            withJSONObject: person.credentials(password))
                        return try await web.curl(
                            "/postern.gateway.v1.Auth/\(method)",
                            [
                                version, "--interface",
                                person.address.replacing("198.18.", with: "127.18."),
                                "--header", "content-type: application/json",
                                "--header", "x-postern-app: \(web.appKey)",
                                "--data", String(decoding: json, as: UTF8.self),
                            ]
                        ).status
                    }
                    #expect(try await ask("SignUpWithPassword", right) == 200)
                    #expect(try await ask("SignInWithPassword", right) == 200)
                    #expect(try await ask("SignInWithPassword", wrong) >= 400)
                    try await Task.sleep(for: Self.goneWithin)
                    let typed = [
                        Typed(kind: "right", text: right), Typed(kind: "wrong", text: wrong),
                    ]
                    expectNone(of: typed, cluster, "try \(number), \(version)")
                }
            }
        }

        @Test("B9: nor while the connection over HTTP/1.1 is kept")
        func byKeptConnection() async throws {
            try await with { cluster in
                let web = try WebClient(cluster)
                let person = Person(1)
                _ = try await cluster.signUp(person)
                for number in 1...SoakRounds.count(ordinarily: 2) {
                    let password = canary(number)
                    let json = try JSONSerialization.data(
                        withJSONObject: person.credentials(password))
                    let port = try #require(web.url.split(separator: ":").last.flatMap { Int($0) })
                    let connection = try KeptConnection(port: port)
                    let answer = try connection.answer(
                        to: """
                            POST /postern.gateway.v1.Auth/SignInWithPassword HTTP/1.1\r
                            host: localhost:\(port)\r
                            content-type: application/json\r
                            x-postern-app: \(web.appKey)\r
                            content-length: \(json.count)\r
                            \r
                            \(String(decoding: json, as: UTF8.self))
                            """)
                    #expect(answer.contains("auth/invalid-credential"), "\(answer)")
                    try await Task.sleep(for: Self.goneWithin)
                    expectNone(
                        of: [Typed(kind: "wrong", text: password)], cluster, "try \(number)")
                    connection.close()
                }
            }
        }

        @Test("B9, F-04: a code that is typed as a second proof is not in memory either")
        func secondProof() async throws {
            try await with { cluster in
                for number in 1...SoakRounds.count(ordinarily: 2) {
                    let person = Person(number)
                    try await setUpApp(person, cluster)
                    let asked: ErrorAnswer = try await cluster.signIn(person).read()
                    let challenge = try #require(asked.secondProof?.challenge)
                    let (code, other) = (recoveryCode(), canary(number))
                    let typed = [
                        ("recoveryCode", code.lowercased()), ("totpCode", other),
                    ]
                    for (kind, text) in typed {
                        let answer = try await ask(
                            "CompleteSignIn",
                            [
                                "challenge": challenge, kind: text,
                                "device": ["deviceId": person.device],
                            ], person, cluster, of: "SignInChallenges")
                        #expect(answer.code == "auth/invalid-verification-code", "\(kind)")
                    }
                    try await Task.sleep(for: Self.goneWithin)
                    // As it was typed, and as it was read.
                    let looked = typed + [("recoveryCode", code)]
                    expectNone(
                        of: looked.map { Typed(kind: $0.0, text: $0.1) }, cluster, "try \(number)")
                }
            }
        }

        @Test("B9: nor is one of a link, or of a corrected address")
        func linkedAndCorrected() async throws {
            try await with { cluster in
                for number in 1...SoakRounds.count(ordinarily: 2) {
                    let person = Person(number)
                    let (right, wrong, linked) = (canary(number), canary(number), canary(number))
                    let signedUp: SignedIn = try await cluster.auth(
                        "SignUpWithPassword", person.credentials(right), from: person.address
                    ).read()
                    for (password, code) in [(wrong, "auth/invalid-credential"), (right, nil)] {
                        let answer = try await ask(
                            "CorrectEmail",
                            [
                                "email": person.email, "password": password,
                                "newEmail": "right-\(person.email)",
                                "device": ["deviceId": person.device, "platform": "cli"],
                            ], person, cluster, of: "Emails")
                        #expect(answer.code == code, "\(answer.json)")
                    }
                    // It has a password already, which is found after the new one was read.
                    let refused = try await ask(
                        "LinkPassword",
                        ["password": linked, "device": ["deviceId": person.device]], person,
                        cluster, signedUp.session, of: "SignInMethods")
                    #expect(refused.exitCode != 0)
                    try await Task.sleep(for: Self.goneWithin)
                    let typed = [
                        Typed(kind: "right", text: right), Typed(kind: "wrong", text: wrong),
                        Typed(kind: "linked", text: linked),
                    ]
                    expectNone(of: typed, cluster, "try \(number)")
                }
            }
        }

        /// Signs a person up, and sets an authenticator app up.
        private func setUpApp(_ person: Person, _ cluster: Cluster) async throws {
            struct Begun: Decodable {
                let enrollmentToken: String
                let secret: String
            }
            let signedUp: SignedIn = try await cluster.signUp(person).read()
            let begun: Begun = try await ask(
                "BeginTOTP", [:], person, cluster, signedUp.session, of: "SecondFactors"
            ).read()
            let code = try await OwnersApp(secret: begun.secret).code()
            let added = try await ask(
                "ConfirmTOTP",
                [
                    "enrollmentToken": begun.enrollmentToken,
                    "code": code.withBytes { String(decoding: $0, as: UTF8.self) },
                    "device": ["deviceId": person.device],
                ], person, cluster, signedUp.session, of: "SecondFactors")
            #expect(added.exitCode == 0, "\(added.json)")
        }

        /// One that no account has.
        private func recoveryCode() -> String {
            String(
                decoding: SecureRandomness().bytes(13).map {
                    Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)[Int($0 % 32)]
                }, as: UTF8.self)
        }

        @Test("no program leaves a core file, which would have its keys")
        func coreFiles() async throws {
            try await Cluster.with { cluster in
                for (name, process) in cluster.processes {
                    let limits = try String(
                        contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
                    let line = limits.split(separator: "\n").first { $0.contains("core file") }
                    #expect(
                        line?.split(separator: " ").dropLast().suffix(2) == ["0", "0"], "\(name)")
                }
            }
        }

        // MARK: Asking

        /// A cluster, in whose memory the search finds what is there. Without TLS: BoringSSL keeps
        /// plaintext in freed blocks (Sources/SECURITY.md, What is not promised).
        private func with(_ body: (Cluster) async throws -> Void) async throws {
            try await Cluster.with { cluster in
                try expectFound(in: cluster)
                try await body(cluster)
            }
        }

        private func ask(
            _ method: String, _ fields: [String: Any], _ person: Person, _ cluster: Cluster,
            _ session: Session? = nil, of service: String = "Passwords"
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: fields)
            return try await cluster.call(
                "postern.gateway.v1.\(service)/\(method)", String(decoding: json, as: UTF8.self),
                metadata: ["client-address": person.address], token: session?.accessToken)
        }

        /// The token of a link that somebody is mailed who has forgotten the password.
        private func resetToken(of person: Person, _ cluster: Cluster) async throws -> String {
            let asked = try await ask(
                "RequestPasswordReset", ["email": person.email], person, cluster)
            #expect(asked.exitCode == 0, "\(asked.json)")
            let page = "reset-password?token="
            var text = ""
            let hasCome = try await eventually {
                text = try await cluster.inbox(to: person.email)
                return text.contains(page)
            }
            #expect(hasCome)
            let start = try #require(text.range(of: page)).upperBound
            return String(text[start...].prefix { !$0.isWhitespace && $0 != "&" })
        }

        // MARK: Looking

        private func expectFound(in cluster: Cluster) throws {
            let there = Array("postern.identity.v1.Accounts".utf8)
            let identity = try #require(cluster.processes["postern-identity"])
            let places = try MemoryScan.places(of: there, in: identity)
            #expect(!places.isEmpty, "the search finds existing text")
        }

        /// Letters and digits that no memory holds by chance: 21 for even numbers, 13 for odd ones.
        private func canary(_ number: Int) -> String {
            let count = number.isMultiple(of: 2) ? 21 : 13
            let digits = SecureRandomness().bytes(count).map {
                Array("kmpqrtvwxz234579".utf8)[Int($0 % 16)]
            }
            return "Aa1" + String(decoding: digits.dropLast(3), as: UTF8.self)
        }

        private func expectNone(of typed: [Typed], _ cluster: Cluster, _ attempt: String) {
            let processes = cluster.processes
            #expect(processes.count == 6)
            for (name, process) in processes {
                for password in typed {
                    do {
                        let places = try MemoryScan.places(
                            of: Array(password.text.utf8), in: process)
                        #expect(
                            places.isEmpty, "\(attempt), \(password.kind), \(name): \(places)")
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}
