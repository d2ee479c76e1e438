import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-16: the gateway relays bundles, and charges choices", .timeLimit(.minutes(1)))
struct GuestDataRelayTests {
    private static let bundles = "guest-bundle-by-account"
    private static let writes = "document-write-by-account"
    private static let migration = GatewayV1.Migration(
        migrationId: "mig_0000000000001", state: .needsAttention, choice: .merge, documents: 3,
        done: 2, issues: [.init(collection: "goals", name: "main", code: "auth/document-quota")],
        createdAtMs: 5, changedAtMs: 7)

    let data = ScriptedGuestData()
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture(relayed: [data.handler])
        ada = try await fixture.signUp()
    }

    private func context(_ key: String? = nil) -> CallContext {
        fixture.context(key).bearing(ada.session.accessToken)
    }

    // MARK: Bundles

    @Test("G-16: identity gets the token, the number and the documents in order")
    func bundle() async throws {
        let documents = (0..<20).map { number in
            GatewayV1.BundledDocument(
                collection: "settings", name: "s\(number)", json: "{\"a\":\(number)}",
                changedAtMs: Int64(number))
        }
        let progress = try await fixture.upload(documents, in: context("k"))
        #expect(progress.map(\.receivedDocuments) == (1...20).map { UInt32($0) } + [20])
        #expect(progress.map(\.migration) == Array(repeating: nil, count: 20) + [Self.migration])
        #expect(data.documents.map(\.name) == documents.map(\.name))
        #expect(data.documents.map(\.json) == documents.map(\.json))
        #expect(data.documents.map(\.changedAtMs) == documents.map(\.changedAtMs))
        #expect(data.head?.documents == 20 && data.contexts.count == 1)
        let received = try #require(data.contexts.first)
        #expect(received.clientAddress == "192.0.2.7")
        #expect(try received.accessToken() == ada.session.accessToken)
        #expect(received.idempotencyKey != nil && received.idempotencyKey != "k")
    }

    @Test("G-16: items in another order are refused; a bundle without its head is not counted")
    func order() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        let head = GatewayV1.UploadGuestBundleRequest.Part.head(.init(documents: 2))
        let document = GatewayV1.UploadGuestBundleRequest.Part.document(.goals)
        for (parts, field, left) in [
            ([document], "head", 5), ([], "head", 5), ([nil], "head", 5),
            ([head, document, head], "document", 4), ([head, nil], "document", 3),
        ] as [([GatewayV1.UploadGuestBundleRequest.Part?], String, UInt32)] {
            let call = fixture.guests.uploadGuestBundle(context)
            for part in parts { try await call.outgoing.write(.init(part: part)) }
            call.outgoing.finish()
            let error = try await refusal { try await call.incoming.all() }
            #expect(error.code == .invalidArgument && error.fields == [field])
            #expect(try fixture.inner.left(Self.bundles, ada.account.accountId) == left)
        }
    }

    @Test("R-03: the sixth bundle of an hour is refused; a repeat with its key is not counted")
    func limit() async throws {
        for number in 1...5 {
            for _ in 0..<2 { _ = try await fixture.upload([.goals], in: context("k\(number)")) }
        }
        let refused = try await refusal { try await fixture.upload([.goals], in: context("k6")) }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(3_600))
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 60)
    }

    @Test("R-03: a bundle that identity refuses for its documents counts, one that failed does not")
    func refused() async throws {
        for (code, left) in [
            (ErrorCode.invalidDocument, UInt32(4)), (.documentQuota, 4), (.unavailable, 5),
            (.accountRequired, 5),
        ] {
            let refusing = ScriptedGuestData(refusal: ServiceError(code))
            let fixture = try await GatewayFixture(relayed: [refusing.handler])
            let ada = try await fixture.signUp()
            let error = try await refusal {
                try await fixture.upload(
                    [.goals], in: fixture.context().bearing(ada.session.accessToken))
            }
            #expect(error.code == code)
            #expect(try fixture.inner.left(Self.bundles, ada.account.accountId) == left)
        }
    }

    // MARK: Choices

    @Test("R-03: a choice is charged as a write, and given back where identity refuses the token")
    func choice() async throws {
        for call in [
            { _ = try await fixture.guests.compareGuest(.init(choiceToken: "x"), context()) },
            {
                _ = try await fixture.guests.chooseGuestData(
                    .init(choiceToken: "x", choice: .merge), context())
            },
        ] as [() async throws -> Void] {
            #expect(try await refusal { try await call() }.code == .invalidChoice)
        }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 60, "given back")
        let missing = try await refusal {
            try await fixture.guests.retryMigration(
                .init(migrationId: "mig_0000000000001"), context())
        }
        #expect(missing.code == .notFound)
    }
}
