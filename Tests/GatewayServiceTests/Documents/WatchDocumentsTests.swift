import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("I-07: changes of documents are relayed", .timeLimit(.minutes(1)))
struct WatchDocumentsTests {
    let fixture: GatewayFixture
    let ada: SignedIn
    let context: CallContext

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        context = fixture.context().bearing(ada.session.accessToken)
    }

    private func watch(
        _ after: GatewayV1.WatchDocumentsRequest.After? = nil
    ) -> IncomingItems<GatewayV1.WatchDocumentsItem>.AsyncIterator {
        fixture.documents.watchDocuments(.init(after: after), context).makeAsyncIterator()
    }

    @Test("I-07: the documents come first, then each change, with positions to resume from")
    func changes() async throws {
        _ = try await fixture.write(#"{"a":1}"#, in: context)
        let follower = watch()
        let first = try #require(try await follower.next())
        guard case .written(let document) = first.change else {
            Issue.record("no document")
            return
        }
        #expect(document.json == #"{"a":1}"# && document.version == 1)
        let current = try #require(try await follower.next())
        #expect(current.change == nil && current.position >= first.position)
        _ = try await fixture.documents.removeDocument(
            .init(collection: "settings", name: "main"), context)
        let second = try #require(try await follower.next())
        guard case .removed(let removed) = second.change else {
            Issue.record("no removal")
            return
        }
        #expect(removed.collection == "settings" && removed.json.isEmpty)
        #expect(removed.version == 2)

        let resumed = try #require(
            try await watch(.afterPosition(current.position)).next())
        #expect(resumed.change == second.change && resumed.position == second.position)
    }

    @Test("I-07: the stream ends when its access token expires")
    func expired() async throws {
        let follower = watch()
        #expect(try await follower.next() != nil)
        let error = try await refusal {
            while true {
                await fixture.time.sleepers()
                fixture.time.advance(by: .seconds(60))
                guard try await follower.next() != nil else { return }
            }
        }
        #expect(error.code == .invalidAccessToken)
    }
}
