import HTTPSink
import ProviderIssuer
import SMTPSink
import Testing

/// The environment of the stories: the six programs, Google and Apple, a mail server, and an SMS
/// provider. All stories share one, because its start takes longer than any of them; each story
/// uses its own people.
final class StoryFixture: Sendable {
    /// The fixture that the story runs in.
    @TaskLocal static var current: StoryFixture?

    /// How the numbers begin of which the SMS provider reports that they have changed hands.
    static let changedNumbers = "+49151205199"

    let cluster: Cluster
    /// The environment of the programs, for another cluster with the same providers.
    let environment: [String: String]
    let backend: StoryBackend
    let google: ProviderIssuer
    let apple: ProviderIssuer
    let mails: SMTPSink
    let texts: HTTPSink

    private init(
        _ cluster: Cluster, _ environment: [String: String], byHTTP: Bool,
        google: ProviderIssuer, apple: ProviderIssuer, mails: SMTPSink, texts: HTTPSink
    ) throws {
        self.cluster = cluster
        self.environment = environment
        self.google = google
        self.apple = apple
        self.mails = mails
        self.texts = texts
        backend = try StoryBackend(cluster, byHTTP: byHTTP)
    }

    /// Runs `story` with a new fixture, and stops the fixture afterwards, even if the story fails.
    /// - Parameters:
    ///   - limits: the content of the operator's limits file; nil for no file.
    ///   - more: further settings of the programs.
    ///   - byHTTP: whether `backend` calls the web service.
    static func with(
        limits: String? = nil, settings more: [String: String] = [:], byHTTP: Bool = false,
        _ story: (StoryFixture) async throws -> Void
    ) async throws {
        let google = try await ProviderIssuer()
        let apple = try await ProviderIssuer()
        let mails = try SMTPSink()
        let texts = try await HTTPSink { request in
            .answer(
                200,
                body: request.text.contains(Self.changedNumbers)
                    ? #"{"number_changed":true}"# : "{}")
        }
        let settings = [
            google.environment(for: "google"), apple.environment(for: "apple"),
            Self.settings(mails, texts), more,
        ].reduce(into: [:]) { $0.merge($1) { _, new in new } }
        var failure: (any Error)?
        do {
            try await Cluster.with(limits: limits, environment: settings) { cluster in
                let fixture = try StoryFixture(
                    cluster, settings, byHTTP: byHTTP, google: google, apple: apple,
                    mails: mails, texts: texts)
                defer { fixture.backend.close() }
                try await story(fixture)
            }
        } catch { failure = error }
        await google.close()
        await apple.close()
        await texts.close()
        mails.close()
        if let failure { throw failure }
    }

    private static func settings(_ mails: SMTPSink, _ texts: HTTPSink) -> [String: String] {
        [
            "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(mails.port)",
            "POSTERN_SMTP_ENCRYPTION": "none", "POSTERN_SMS_PROVIDERS": "webhook",
            "POSTERN_SMS_WEBHOOK_URL": texts.url("/sms"),
            "POSTERN_SMS_WEBHOOK_SECRET": String(repeating: "ab", count: 32),
            "POSTERN_PROVIDER_PLAINTEXT": "true", "POSTERN_PHONE_COUNTRIES": "DE",
            // By HTTP all people have this machine's address.
            "POSTERN_NEWCOMER_BYTES_A_DAY": "\(1 << 40)",
            // A photo that is cut off in the middle is long, also a guest's.
            "POSTERN_GUEST_PHOTO_BYTES_MAX": "\(5 << 20)",
            "POSTERN_GUEST_BYTES_A_DAY": "\(1 << 40)",
        ]
    }
}

/// Gives a suite one fixture for all its stories.
struct SharedStoryFixture: SuiteTrait, TestScoping {
    /// Whether its apps call by HTTP.
    var byHTTP = false

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing stories: @Sendable () async throws -> Void
    ) async throws {
        try await StoryFixture.with(byHTTP: byHTTP) { fixture in
            try await StoryFixture.$current.withValue(fixture) { try await stories() }
        }
    }
}

extension SystemTests {
    /// The acceptance scenarios of the documents, each named by its document and number, as far as
    /// they concern a backend.
    @Suite("The documents' stories", SharedStoryFixture())
    enum Stories {}
}
