import Contracts
import Cryptography
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Secrets of second factors")
    struct SecondProofSecrets {
        @Test("Secrets: no secret of an app, code or challenge is in a log, table or stored answer")
        func canaries() async throws {
            try await StoryFixture.with(settings: ["POSTERN_LOG_LEVEL": "debug"], byHTTP: true) {
                fixture in
                let secrets = try await plant(fixture)
                try await expectNone(of: secrets, fixture.cluster)
                await fixture.cluster.stop()
                try await expectNone(of: secrets, fixture.cluster)
            }
        }

        /// What no file may show.
        private struct Secrets {
            /// Too long to be there by chance.
            var long: [(name: String, bytes: [UInt8])] = []
            /// Six digits.
            var codes: [String] = []

            mutating func add(_ name: String, _ text: String) {
                long.append((name, Array(text.utf8)))
            }
        }

        /// Sets an app up and signs in by it and by a recovery code. All calls have keys, so that their
        /// answers are stored.
        private func plant(_ fixture: StoryFixture) async throws -> Secrets {
            var secrets = Secrets()
            let ada = Person(51_401)
            let (own, _) = try await fixture.verified(ada)
            let factors = fixture.backend.factors
            let begun = try await factors.beginTOTP(.init(), own.context(key: "begin-51401-once"))
            let app = try OwnersApp(secret: begun.secret)
            secrets.add("the secret", begun.secret)
            secrets.long.append(("the secret's bytes", Base32.decodeLeniently(begun.secret) ?? []))
            secrets.add("the enrollment token", begun.enrollmentToken)
            let confirmed = try await factors.confirmTOTP(
                .init(
                    enrollmentToken: begun.enrollmentToken, code: try await app.code(),
                    device: ada.gatewayDevice), own.context(key: "confirm-51401-at-once"))
            secrets.codes.append(Self.text(app.usedCode))
            let first = confirmed.recoveryCodes
            #expect(first.count == 10)
            let other = try await factors.regenerateRecoveryCodes(
                .init(device: ada.gatewayDevice), own.context(key: "regenerate-51401-at-once")
            ).recoveryCodes
            for code in first + other {
                secrets.add("a recovery code", code)
                secrets.add("a recovery code", code.replacing("-", with: ""))
            }
            let proofs: [GatewayV1.CompleteSignInRequest.Proof] = [
                .totpCode(try await app.code()), .recoveryCode(.init(text: other[0])),
            ]
            secrets.codes.append(Self.text(app.usedCode))
            for (number, proof) in proofs.enumerated() {
                let challenge = try await fixture.challenge {
                    try await fixture.backend.auth.signInWithPassword(
                        .init(
                            email: ada.email, password: .init(text: Person.password),
                            device: ada.gatewayDevice),
                        fixture.backend.context(ada, key: "sign-in-51401-\(number)-at-once"))
                }
                secrets.add("a challenge", challenge.challenge)
                let token = Base64URL.decode(challenge.challenge.utf8)
                secrets.long.append(("a challenge's bytes", token ?? []))
                _ = try await fixture.complete(
                    challenge, proof, of: ada, key: "complete-51401-\(number)-at-once")
            }
            return secrets
        }

        private static func text(_ code: SecretBytes) -> String {
            code.withBytes { String(decoding: $0, as: UTF8.self) }
        }

        private func expectNone(of secrets: Secrets, _ cluster: Cluster) async throws {
            let files = cluster.files()
            #expect(files.contains { $0.path.contains("/logs/") })
            let services = cluster.up.isRunning ? BuiltPrograms.services : []
            let metrics = try services.map { try cluster.metrics($0, "/metrics") }
            for (name, bytes) in secrets.long {
                #expect(bytes.count > 12, "\(name)")
                for file in files {
                    #expect(!file.holds(bytes), "\(file.path) holds \(name)")
                }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!metrics.contains { $0.contains(text) }, "a metric holds \(name)")
            }
            // As the text of a field: numbers contain any six digits.
            for line in try cluster.logLines() {
                for code in secrets.codes {
                    #expect(!line.contains("\"\(code)\""), "a log holds a code")
                }
            }
            guard !TestStore.isOnServer else { return }
            let places = try await StoredCell.all(
                in: "\(cluster.data)/data", isClosed: !cluster.up.isRunning
            ).filter { cell in
                secrets.codes.contains { code in
                    cell.value == .text(code) || cell.value == .bytes(Array(code.utf8))
                }
            }
            #expect(places.isEmpty, "\(places.map(\.place)) hold a code")
        }
    }
}
