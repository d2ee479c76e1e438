import Contracts
import Foundation
import HTTPSink
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("D0: sign-up, returning sign-in and sign-out of apps with push messages, by HTTP")
    struct Push {
        private static let appleToken = String(repeating: "0a1b", count: 16)
        private static let googleToken = "google-token-of-ada"
        private static let number = "+4915120360001"

        @Test("N-02, N-04, G-09: registered at sign-in, notified of a new device, gone at sign-out")
        func story() async throws {
            try await PushProviders.with { providers in
                try await StoryFixture.with(settings: providers.settings, byHTTP: true) {
                    try await story($0, providers)
                }
            }
        }

        private func story(_ fixture: StoryFixture, _ providers: PushProviders) async throws {
            let ada = Person(36_001)
            let phone = try #require(try await fixture.signUp(ada).session)
            let link = try await fixture.linkToken(to: ada.email, page: "verify-email")
            _ = try await fixture.backend.auth.verifyEmail(
                .init(token: link, device: ada.gatewayDevice), context(phone, ada, fixture))
            let first = try await register(.apns, Self.appleToken, phone, ada, fixture)
            #expect(first.app == PushProviders.app && first.isCurrentSession)

            // A returning sign-in, on another device: the first one gets the notice.
            let tablet = try await signIn(ada, on: "tablet", fixture)
            let notice = try await providers.apple(1)
            #expect(notice.version == 2 && notice.path == "/3/device/\(Self.appleToken)")
            #expect(notice.headers["apns-topic"] == PushProviders.app)
            #expect(notice.text.contains(#""kind":"new-device""#), "\(notice.text)")
            let second = try await register(.fcm, Self.googleToken, tablet, ada, fixture)
            let listed = try await list(phone, ada, fixture)
            #expect(listed.sorted() == [first.pushDeviceId, second.pushDeviceId].sorted())

            // Now both get one.
            let watch = try await signIn(ada, on: "watch", fixture)
            _ = try await providers.apple(2)
            #expect(try await providers.google(1).text.contains(Self.googleToken))

            // Sign-out of one device, and then of all.
            try await signOut(tablet, ada, fixture)
            try await expectGone(second.pushDeviceId, watch, ada, fixture)
            _ = try await signIn(ada, on: "desk", fixture)
            _ = try await providers.apple(3)
            #expect(providers.googleMessages.count == 1)
            try await signOut(watch, ada, fixture, all: true)
            let again = try await signIn(ada, on: ada.device, fixture)
            try await expectGone(first.pushDeviceId, again, ada, fixture)
        }

        @Test("N-04, G-20: a deletion removes the devices, and another account takes a device over")
        func deleted() async throws {
            try await StoryFixture.with(byHTTP: true) { fixture in
                let (ada, eve) = (Person(36_002), Person(36_003))
                let signedUp = try await fixture.signUp(ada)
                let session = try #require(signedUp.session)
                let account = try #require(signedUp.account?.accountId)
                let others = try #require(try await fixture.signUp(eve).session)
                let first = try await register(.fcm, "one", session, ada, fixture)
                let taken = try await register(.fcm, "one", others, eve, fixture)
                try await expectGone(first.pushDeviceId, session, ada, fixture)
                let second = try await register(.fcm, "two", session, ada, fixture)
                #expect(try await kept(account, fixture) == [second.pushDeviceId])
                let inside = context(session, ada, fixture)
                let preview = try await fixture.backend.deletion.previewDeletion(.init(), inside)
                _ = try await fixture.backend.deletion.requestDeletion(
                    .init(confirmationToken: preview.confirmationToken), inside)
                #expect(try await goes { try await kept(account, fixture).isEmpty })
                #expect(try await list(others, eve, fixture) == [taken.pushDeviceId])
            }
        }

        @Test("D0: a code's text ends with the lines by which Android and browsers fill it in")
        func code() async throws {
            let settings = [
                "POSTERN_SMS_ANDROID_APP_HASH": "FA+9qCX9VSu",
                "POSTERN_SMS_WEB_DOMAIN": "app.example",
            ]
            try await StoryFixture.with(settings: settings, byHTTP: true) { fixture in
                let ada = Person(36_004)
                let (_, code) = try await fixture.code(to: Self.number, person: ada)
                let text = try #require(
                    fixture.texts.requests.last { $0.text.contains(Self.number) }?.text)
                #expect(
                    text.contains(#"\u000aFA+9qCX9VSu\u000a@app.example #\#(code)""#), "\(text)")
            }
        }

        // MARK: Calls

        private func context(
            _ session: GatewayV1.Session, _ person: Person, _ fixture: StoryFixture
        ) -> CallContext {
            fixture.backend.context(person).bearing(session.accessToken)
        }

        private func register(
            _ platform: GatewayV1.PushPlatform, _ token: String, _ session: GatewayV1.Session,
            _ person: Person, _ fixture: StoryFixture
        ) async throws -> GatewayV1.PushRegistration {
            let answer = try await fixture.backend.push.registerPushDevice(
                .init(platform: platform, token: token), context(session, person, fixture))
            return try #require(answer.pushDevice)
        }

        private func list(
            _ session: GatewayV1.Session, _ person: Person, _ fixture: StoryFixture
        ) async throws -> [String] {
            try await fixture.backend.push.listPushDevices(
                .init(), context(session, person, fixture)
            ).pushDevices.map(\.pushDeviceId)
        }

        private func signIn(
            _ person: Person, on device: String, _ fixture: StoryFixture
        ) async throws -> GatewayV1.Session {
            let answer = try await fixture.backend.auth.signInWithPassword(
                .init(
                    email: person.email, password: .init(text: Person.password),
                    device: .init(deviceId: device, platform: "android", name: device)),
                fixture.backend.context(person))
            return try #require(answer.session)
        }

        private func signOut(
            _ session: GatewayV1.Session, _ person: Person, _ fixture: StoryFixture,
            all: Bool = false
        ) async throws {
            _ = try await fixture.backend.auth.signOut(
                .init(all: all), context(session, person, fixture))
        }

        /// Expects that a device is gone within a second, and what a busy machine takes besides.
        private func expectGone(
            _ device: String, _ session: GatewayV1.Session, _ person: Person,
            _ fixture: StoryFixture
        ) async throws {
            #expect(
                try await goes { try await !list(session, person, fixture).contains(device) })
        }

        private func goes(_ isGone: () async throws -> Bool) async throws -> Bool {
            try await eventually(within: .seconds(SoakRounds.isLong ? 1 : 5), isGone)
        }

        /// What notification has of an account, also of one that is deleted.
        private func kept(_ account: String, _ fixture: StoryFixture) async throws -> [String] {
            struct Listed: Decodable {
                struct Device: Decodable {
                    let pushDeviceId: String
                }
                let devices: [Device]?
            }
            let answer = try await fixture.cluster.call(
                "postern.notification.v1.PushDevices/List", #"{"accountId":"\#(account)"}"#)
            return try answer.read(Listed.self).devices?.map(\.pushDeviceId) ?? []
        }
    }
}

/// Google's FCM, in clear, and Apple's APNs, by HTTP/2 over TLS, on this machine. They take all
/// messages.
final class PushProviders: Sendable {
    /// The bundle id of the app.
    static let app = "com.example.app"

    private let folder: TemporaryFolder
    private let googleSink: HTTPSink
    private let appleSink: HTTPSink
    /// The settings of notification and identity with these.
    let settings: [String: String]

    /// Runs `body` with both, and stops them afterwards.
    static func with(_ body: (PushProviders) async throws -> Void) async throws {
        let providers = try await PushProviders()
        do {
            try await body(providers)
        } catch {
            await providers.close()
            throw error
        }
        await providers.close()
    }

    private init() async throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(now: SystemTime().now())
        let trust = try folder.write(authority.pem, to: "trust.pem")
        let files = try authority.issue([.address(127, 0, 0, 1)]).write(to: folder, as: "server")
        let apple = try await HTTPSink(tls: .init(chain: files.chain, key: files.key)) { _ in
            .answer(200)
        }
        let google = try await HTTPSink { request in
            .answer(
                200,
                body: request.path == "/token"
                    ? #"{"access_token":"token","expires_in":3599}"# : #"{"name":"x"}"#)
        }
        let account = try JSONSerialization.data(withJSONObject: [
            "type": "service_account", "project_id": "tea-and-cake", "private_key_id": "key-1",
            "private_key": try Self.rsaKey(), "client_email": "push@tea-and-cake.example",
            "token_uri": google.url("/token"),
        ])
        settings = [
            "POSTERN_NOTICE_PUSH": "always", "POSTERN_PROVIDER_TRUST_FILE": trust,
            "POSTERN_PUSH_APNS_KEY_FILE": try Self.secret(
                try authority.issue([]).keyPEM, "AuthKey.p8", folder),
            "POSTERN_PUSH_APNS_KEY_ID": "KEYID12345", "POSTERN_PUSH_APNS_TEAM": "TEAMID1234",
            "POSTERN_PUSH_APNS_TOPICS": Self.app,
            "POSTERN_PUSH_APNS_URL": apple.secureURL(""),
            "POSTERN_PUSH_APNS_SANDBOX_URL": apple.secureURL(""),
            "POSTERN_PUSH_FCM_URL": google.url(""),
            "POSTERN_PUSH_FCM_ACCOUNT_FILE": try Self.secret(
                String(decoding: account, as: UTF8.self), "account.json", folder),
        ]
        self.folder = folder
        googleSink = google
        appleSink = apple
    }

    /// Writes a file that only its owner may read.
    private static func secret(
        _ text: String, _ name: String, _ folder: TemporaryFolder
    ) throws -> String {
        let file = try folder.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    private static func rsaKey() throws -> String {
        let made = try SystemCommand(
            "openssl", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
        guard made.exitCode == 0 else { throw ClusterError(message: "openssl made no key") }
        return made.said
    }

    /// The messages that Google has got.
    var googleMessages: [HTTPSink.Request] {
        googleSink.requests.filter { $0.path.hasSuffix("/messages:send") }
    }

    /// The last of so many messages to Apple's devices; waits for it.
    func apple(_ count: Int) async throws -> HTTPSink.Request {
        try await message(count) { appleSink.requests }
    }

    /// The same of Google's.
    func google(_ count: Int) async throws -> HTTPSink.Request {
        try await message(count) { googleMessages }
    }

    private func message(
        _ count: Int, _ requests: () -> [HTTPSink.Request]
    ) async throws -> HTTPSink.Request {
        _ = try await eventually { requests().count >= count }
        let found = requests()
        guard found.count == count, let last = found.last else {
            throw ClusterError(message: "\(found.count) messages, not \(count)")
        }
        return last
    }

    private func close() async {
        await googleSink.close()
        await appleSink.close()
    }
}
