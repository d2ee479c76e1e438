import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

/// An account with a session that goes through onboarding.
struct OnboardingFixture: Sendable {
    static let rules = """
        collections:
          profile:
            other-fields: allow
            fields:
              name:
                type: text
                required: true
                length: [1, 20]
                display-name: true
                reason: {en: We greet you by it., de: Wir begrüßen dich damit.}
              born: {type: date, read-only: true}
              units: {type: text, one-of: [metric, imperial], default: metric}
          goals:
            fields:
              target: {type: integer, required: true, range: [1, 100]}
        onboarding:
          sections:
            - name: about
              screens:
                - name: welcome
                - name: name
                  fields:
                    name: {to: profile.name}
                - name: birthday
                  fields:
                    birthday: {to: profile.born}
                    units: {to: profile.units}
            - name: aims
              screens:
                - name: target
                  fields:
                    target: {to: goals.target}
                    note: {type: text, length: [0, 50]}
        """

    let identity: IdentityFixture
    /// "acc_…"
    let account: String
    /// An access token of the account.
    let token: String

    var handler: OnboardingHandler { identity.service.data.onboarding }

    /// - Parameter isGuest: Whether the account is a guest; otherwise its address is unverified.
    init(rules: String? = OnboardingFixture.rules, isGuest: Bool = false) async throws {
        identity = try IdentityFixture(rules: rules)
        if isGuest {
            (account, token) = try await identity.guest()
        } else {
            (account, token) = try await identity.member()
        }
    }

    func get(_ language: String = "") async throws -> GatewayV1.GetOnboardingResponse {
        try await handler.getOnboarding(.init(), context(language))
    }

    @discardableResult
    func save(
        _ section: String, _ json: String, screen: String = "", base: Int64? = nil,
        key: String? = nil
    ) async throws -> GatewayV1.OnboardingSection {
        let answer = try await handler.saveOnboardingSection(
            .init(
                section: section, json: json, screen: screen,
                base: base.map { .baseVersion($0) }), identity.relayed(token, key))
        return try #require(answer.section)
    }

    /// Saves all that is required.
    func saveAll() async throws {
        try await save("about", #"{"name":"Ada L.","birthday":"2000-02-29"}"#)
        try await save("aims", #"{"target":7,"note":"slowly"}"#)
    }

    func complete(
        _ language: String = ""
    ) async throws -> GatewayV1.CompleteOnboardingResponse {
        try await handler.completeOnboarding(.init(), context(language))
    }

    private func context(_ language: String) -> CallContext {
        var context = identity.relayed(token)
        if !language.isEmpty { context.metadata[Metadata.Key.acceptLanguage] = language }
        return context
    }

    func restart() async throws {
        _ = try await handler.restartOnboarding(
            .init(), identity.relayed(token))
    }

    /// Writes the document `main` of a collection as the owner.
    func write(_ collection: String, _ json: String, merge: Bool = false) async throws {
        _ = try await handler.documents.writeDocuments(
            .init(writes: [.make(collection, "main", json, merge: merge)]), identity.relayed(token))
    }

    /// The document `main` of a collection; nil if there is none.
    func read(_ collection: String) async throws -> GatewayV1.Document? {
        try await handler.documents.listDocuments(
            .init(collection: collection, withJson: true), identity.relayed(token)
        ).documents.first { $0.name == "main" }
    }

    /// The account as it is now, and what its owner still has to do.
    func current() async throws -> AccountAnswer {
        let answer = try await identity.accounts.getAccount(
            .init(accountId: account), identity.context())
        return AccountAnswer(
            account: try #require(answer.account), requiredActions: answer.requiredActions)
    }
}
