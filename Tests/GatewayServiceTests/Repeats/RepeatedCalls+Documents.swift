import Contracts
import Messages
import RPC

@testable import GatewayService

// Documents, profile and onboarding.

extension RepeatedCalls {
    static let documents: [RepeatedCall] = [
        .inSession(
            "Documents/WriteDocument", { try await $0.documents.writeDocument($1, $2) },
            afterwards: .acts, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two { .init($0.accessToken, .init(write: settings)) }
        },
        .inSession(
            "Documents/WriteDocuments", { try await $0.documents.writeDocuments($1, $2) },
            afterwards: .acts, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two {
                .init($0.accessToken, .init(writes: [settings, goals]))
            }
        },
        .inSession(
            "Documents/RemoveDocument", { try await $0.documents.removeDocument($1, $2) },
            afterwards: .nothing, renew: { try await $0.refresh(&$1.accessToken) }
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            for person in [ada, eve] { try await fixture.write(settings, of: person) }
            func request(_ person: SignedIn) -> InSession<GatewayV1.RemoveDocumentRequest> {
                .init(
                    person.session.accessToken, .init(collection: "settings", name: "main"))
            }
            return (request(ada), request(eve))
        },
        .init(
            "BackendDocuments/WriteAccountDocuments",
            { fixture, account, context in
                let write = [settings.collection, settings.name, "", "", settings.json]
                return try await fixture.backendDocuments.writeAccountDocuments(
                    .init(
                        call: fixture.signed(account, "WriteAccountDocuments", write, context),
                        writes: [settings]), context)
            }, afterwards: .acts
        ) {
            let (ada, eve) = try await $0.two()
            return (ada.account.accountId, eve.account.accountId)
        },
        .init(
            "BackendDocuments/RemoveAccountDocument",
            { fixture, account, context in
                let removal = [settings.collection, settings.name, "", "", ""]
                return try await fixture.backendDocuments.removeAccountDocument(
                    .init(
                        call: fixture.signed(account, "RemoveAccountDocument", removal, context),
                        collection: settings.collection, name: settings.name), context)
            }, afterwards: .nothing
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            for person in [ada, eve] { try await fixture.write(settings, of: person) }
            return (ada.account.accountId, eve.account.accountId)
        },
        .inSession(
            "Profile/UpdateProfile", { try await $0.profile.updateProfile($1, $2) },
            afterwards: .acts, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two { .init($0.accessToken, .init(name: .displayName("New"))) }
        },
        .inSession(
            "Onboarding/SaveOnboardingSection",
            { try await $0.onboarding.saveOnboardingSection($1, $2) },
            afterwards: .acts, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two {
                .init($0.accessToken, .init(section: "you", json: #"{"age":30}"#, screen: "age"))
            }
        },
    ]

    private static let settings = GatewayV1.DocumentWrite(
        collection: "settings", name: "main", json: #"{"theme":"dark"}"#)
    private static let goals = GatewayV1.DocumentWrite(
        collection: "goals", name: "main", json: #"{"sleep":8}"#, merge: true)
}

extension ProviderFixture {
    /// Writes a document of a user.
    fileprivate func write(_ document: GatewayV1.DocumentWrite, of person: SignedIn) async throws {
        _ = try await gateway.documents.writeDocument(
            .init(write: document), gateway.context().bearing(person.session.accessToken))
    }
}
