import Contracts
import IdentityAssembly
import Messages
import RPC
import ServiceRuntime
import SessionService
import TestSupport
import Testing

@testable import GatewayService

/// Somebody has taken the gateway's key and calls the owners of public methods directly. What they
/// achieve is what they achieved before: they act for the people whose access tokens they hold, and
/// name any address, app and language. `LyingRequestTests` has the lies in valid requests.
@Suite("A client with the gateway's key that lies", .timeLimit(.minutes(1)))
struct LyingGatewayTests {
    /// The methods that identity and session implement, from the descriptors.
    private static let methods = ServiceDescription.ofGateway.flatMap(\.methods).filter {
        $0.owner != nil
    }

    let fixture: GatewayFixture
    let ada: SignedIn
    let owners: InProcessChannel

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        owners = Self.owners(of: fixture, as: CallContext.gateway)
    }

    private static func owners(
        of fixture: GatewayFixture, as application: String
    ) -> InProcessChannel {
        InProcessChannel(
            fixture.inner.identity.methods + fixture.inner.sessionService.methods,
            as: application)
    }

    /// The code of the owner's answer to an empty request; nil if it succeeds.
    private func answer(
        to method: MethodDescription, _ context: CallContext,
        by channel: InProcessChannel? = nil
    ) async throws -> ErrorCode? {
        let channel = channel ?? owners
        do {
            guard method.streams != .none else {
                _ = try await channel.call(method, packed: .plain([]), context)
                return nil
            }
            let call = channel.stream(method, payload: [], context)
            call.outgoing.finish()
            for try await _ in call.incoming { return nil }
            _ = try await call.response()
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    @Test("without an access token, and with one of its own making, it acts for nobody")
    func tokens() async throws {
        for method in Self.methods where method.session == .required {
            for token in [nil, "", "a.b.c", ada.account.accountId] {
                var context = fixture.context().bearing(token)
                context.metadata["account"] = ada.account.accountId
                let code = try await answer(to: method, context)
                let refusals: [ErrorCode] = [.invalidAccessToken, .invalidArgument]
                #expect(code.map(refusals.contains) == true, "\(method.name): \(code as Any)")
            }
        }
    }

    @Test("with the token of a session that has ended it acts for nobody")
    func ended() async throws {
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        for method in Self.methods where method.session == .required {
            let context = fixture.context().bearing(ada.session.accessToken)
            let code = try await answer(to: method, context)
            let refusals: [ErrorCode] = [.sessionEnded, .invalidArgument]
            #expect(code.map(refusals.contains) == true, "\(method.name): \(code as Any)")
        }
    }

    /// Calls for the operator, and for the applications that identity's `account-admins` permits.
    private static let admin = AdminDescription.service.methods

    @Test("I-09: without account-admins it administers no account, whomever it names")
    func operators() async throws {
        #expect(Set(Self.admin).isSubset(of: Self.methods))
        for application in [nil, "tool", "support"] {
            var context = fixture.context()
            context.metadata[Metadata.Key.application] = application
            for method in Self.admin {
                #expect(
                    try await answer(to: method, context) == .permissionDenied, "\(method.name)")
            }
        }
    }

    /// For them the tool's own connection takes the place of a token, as for Admin.
    private static let accounts = BackendAccountsDescription.service.methods.filter {
        $0.owner != nil
    }

    @Test("as a backend it needs the backend's signature for the very request")
    func backends() async throws {
        let methods =
            BackendDocumentsDescription.service.methods + BackendPushDescription.service.methods
            + Self.accounts
        #expect(methods.count >= 10 && methods.allSatisfy(\.isForNamedCallersOnly))
        for method in methods {
            let context = fixture.context("k").bearing(ada.session.accessToken)
            #expect(try await answer(to: method, context) == .invalidArgument, "\(method.name)")
        }
    }

    @Test("whoever else reaches the owner's port is not believed, whatever the callers list says")
    func others() async throws {
        for application in ["tool", "session", "app", ""] {
            let channel = Self.owners(of: fixture, as: application)
            for method in Self.methods
            where application != "tool" || !(Self.admin + Self.accounts).contains(method) {
                let context = fixture.context().bearing(ada.session.accessToken)
                #expect(
                    try await answer(to: method, context, by: channel) == .permissionDenied,
                    "\(application): \(method.name)")
            }
        }
    }

    @Test("a token acts on the account of its session only, and a key repeats its own request only")
    func accounts() async throws {
        let eve = try await fixture.signUp("eve@example.org")
        let documents = DocumentsClient(owners)
        func context(_ person: SignedIn, _ key: String? = nil) -> CallContext {
            fixture.context(key).bearing(person.session.accessToken)
        }
        let request = GatewayV1.WriteDocumentRequest(
            write: .init(collection: "settings", name: "main", json: #"{"of":"ada"}"#))
        let first = try await documents.writeDocument(request, context(ada, "k"))
        #expect(try await documents.writeDocument(request, context(ada, "k")) == first)
        // Another account, another request, another method: each is another call under that key.
        let others: [() async throws -> Void] = [
            { _ = try await documents.writeDocument(request, context(eve, "k")) },
            {
                var changed = request
                changed.write?.json = "{}"
                _ = try await documents.writeDocument(changed, context(ada, "k"))
            },
            {
                _ = try await documents.writeDocuments(
                    .init(writes: [request.write].compactMap(\.self)), context(ada, "k"))
            },
        ]
        for other in others {
            #expect(try await refusal { try await other() }.code == .idempotencyKeyReused)
        }
        let none = try await refusal {
            try await documents.readDocument(
                .init(collection: "settings", name: "main"), context(eve))
        }
        #expect(none.code == .notFound)
    }

    @Test("G-25: a repeat that is encoded otherwise is the same request")
    func encodings() async throws {
        // DocumentWrite {collection: "settings", name: "main", json: "{}"}
        let collection = [0x0a, 8] + Array("settings".utf8)
        let name = [0x12, 4] + Array("main".utf8)
        let json = [0x22, 2] + Array("{}".utf8)
        let isNotMerged: [UInt8] = [0x28, 0]
        let unknown: [UInt8] = [0xf8, 0x07, 1]
        let writes = [
            collection + name + json, json + name + collection,
            collection + name + json + isNotMerged, collection + name + json + unknown,
        ]
        let context = fixture.context("k").bearing(ada.session.accessToken)
        var answers: Set<[UInt8]> = []
        for write in writes {
            let request = [0x0a, UInt8(write.count)] + write
            answers.insert(
                try await owners.call(
                    DocumentsDescription.writeDocument, packed: .plain(request), context))
        }
        #expect(answers.count == 1)
        #expect(try await fixture.inner.documentVersions() == 1)
    }
}
