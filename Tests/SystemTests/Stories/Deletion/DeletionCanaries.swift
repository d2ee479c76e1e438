import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("Erasure: what a deleted account has left behind")
    struct DeletionCanaries {
        /// Texts that a file would show if it contained them.
        private static let email = "canary.5f1c9e0b@example.org"
        private static let newEmail = "canary.changed.5f1c9e0b@example.org"
        private static let name = "Canary Name 5f1c9e0b"
        private static let device = "Canary Device 5f1c9e0b"
        private static let deviceID = "canary-device-id-5f1c9e0b"
        private static let number = "+4915120377001"
        private static let subject = "canary-google-subject-5f1c9e0b"
        private static let document = "canary-document-5f1c9e0b"
        /// What an operator's export of all accounts shows while the account exists.
        private static let exported = [email, name, number, subject]

        private let fixture: StoryFixture
        private let person = Person(34_201)

        init() throws { fixture = try #require(StoryFixture.current) }

        private var gatewayDevice: GatewayV1.Device {
            GatewayV1.Device(deviceId: Self.deviceID, platform: "ios", name: Self.device)
        }

        @Test("Erasure: ten seconds after a deletion no file has anything of the account")
        func erased() async throws {
            let before = blobs
            let app = try await signUp()
            let photo = TestPhoto.jpeg(seed: 34_201, isTagged: true)
            try await plant(photo, app)
            #expect(blobs == before + 1)
            let accounts = try await export()
            for canary in Self.exported { #expect(accounts.contains(canary), "\(canary)") }

            try await app.delete()
            #expect(try await app.isToldGone())
            let picture = Array(photo.dropFirst(1_000).prefix(64))
            var found: [String] = []
            let isErased = try await eventually(within: .seconds(10)) {
                found = traces(of: picture)
                return found.isEmpty && blobs == before
            }
            #expect(isErased, "\(found)")
            let left = try await export()
            for canary in Self.exported { #expect(!left.contains(canary), "\(canary)") }
            let trail = try await fixture.cluster.tool(["audit", "list", "-o", "json"])
            #expect(trail.exitCode == 0 && !trail.output.contains("5f1c9e0b"), "\(trail.errors)")
        }

        private func signUp() async throws -> SignedInApp {
            let signedUp = try await fixture.backend.auth.signUpWithPassword(
                .init(
                    email: Self.email, password: .init(text: Person.password),
                    device: gatewayDevice, displayName: Self.name),
                fixture.backend.context(person))
            let app = SignedInApp(fixture, person, signedUp.session)
            let token = try await fixture.linkToken(to: Self.email, page: "verify-email")
            _ = try await fixture.backend.auth.verifyEmail(
                .init(token: token, device: gatewayDevice), app.context())
            return app
        }

        /// A document, a draft, a photo, a number, a provider and a change of address.
        private func plant(_ photo: [UInt8], _ app: SignedInApp) async throws {
            try await app.write("settings", #"{"note":"\#(Self.document)"}"#)
            try await app.save("your-goals", #"{"primaryGoal":"maintain"}"#)
            let stored = try await WebClient(fixture.cluster).putPhoto(photo, app.context())
            #expect(stored.status == 200, "\(stored.body)")
            let (request, code) = try await fixture.code(
                to: Self.number, for: .link, person: person,
                accessToken: app.session?.accessToken)
            _ = try await fixture.backend.phone.linkPhone(
                .init(
                    requestId: request, phoneNumber: Self.number, code: code,
                    device: gatewayDevice), app.context())
            let token = try await fixture.googleToken(of: Self.subject, for: person)
            _ = try await fixture.backend.methods.linkProvider(
                .init(token: token, device: gatewayDevice), app.context())
            _ = try await fixture.backend.emails.requestEmailChange(
                .init(newEmail: Self.newEmail, device: gatewayDevice), app.context())
            _ = try await fixture.linkToken(to: Self.newEmail, page: "change-email")
        }

        /// The files that have something of the account, each with what it has.
        private func traces(of picture: [UInt8]) -> [String] {
            let texts = [
                Self.email, Self.newEmail, Self.name, Self.device, Self.deviceID, Self.subject,
                Self.document, String(Self.number.dropFirst(3)), TestPhoto.gps,
            ]
            return fixture.cluster.files().flatMap { file in
                texts.filter(file.holds).map { "\(file.path) has \($0)" }
                    + (file.holds(picture) ? ["\(file.path) has the photo"] : [])
            }
        }

        /// The number of stored photos.
        private var blobs: Int {
            // Before the first photo there is no folder.
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: "\(fixture.cluster.data)/data/blobs")
            return names?.count ?? 0
        }

        /// All accounts, as an operator exports them.
        private func export() async throws -> String {
            let folder = try TemporaryFolder()
            let file = folder.file("accounts.jsonl")
            let run = try await fixture.cluster.tool(["export", file])
            guard run.exitCode == 0 else { throw ClusterError(said: "export: \(run.errors)") }
            return try String(contentsOfFile: file, encoding: .utf8)
        }
    }
}
