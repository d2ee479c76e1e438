import HTTPSink
import ProviderIssuer
import SMTPSink
import Testing

/// Where the stories play: the five programs, and around them what the world has for them: Google
/// and Apple, a mail server, and whoever sends text messages. One for all stories, for starting
/// takes longer than any of them; each has people of its own.
final class Town: Sendable {
    /// The town that the story plays in.
    @TaskLocal static var current: Town?

    let cluster: Cluster
    let backend: AppBackend
    let google: ProviderIssuer
    let apple: ProviderIssuer
    let mails: SMTPSink
    let texts: HTTPSink

    private init(
        _ cluster: Cluster, google: ProviderIssuer, apple: ProviderIssuer, mails: SMTPSink,
        texts: HTTPSink
    ) throws {
        self.cluster = cluster
        self.google = google
        self.apple = apple
        self.mails = mails
        self.texts = texts
        backend = try AppBackend(cluster)
    }

    /// Runs `story` in a town that is gone after, however the story ends.
    /// - Parameter limits: what the operator's file of limits says; nil for none.
    static func with(
        limits: String? = nil, _ story: (Town) async throws -> Void
    ) async throws {
        let google = try await ProviderIssuer()
        let apple = try await ProviderIssuer()
        let mails = try SMTPSink()
        let texts = try await HTTPSink { _ in .answer(200, body: "{}") }
        let settings = [
            google.environment(for: "google"), apple.environment(for: "apple"),
            Self.settings(mails, texts),
        ].reduce(into: [:]) { $0.merge($1) { _, new in new } }
        var failure: (any Error)?
        do {
            try await Cluster.with(limits: limits, environment: settings) { cluster in
                let town = try Town(
                    cluster, google: google, apple: apple, mails: mails, texts: texts)
                defer { town.backend.close() }
                try await story(town)
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
        ]
    }
}

/// Gives a suite one town for all its stories.
struct OneTown: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing stories: @Sendable () async throws -> Void
    ) async throws {
        try await Town.with { town in
            try await Town.$current.withValue(town) { try await stories() }
        }
    }
}

extension SystemTests {
    /// The acceptance scenarios of the documents, each named by its document and number, as far as a
    /// backend has a part in them.
    @Suite("The documents' stories", OneTown())
    enum Stories {}
}
