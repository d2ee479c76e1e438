import Contracts
import Messages
import PublicCalls
import RPC

/// A person who uses an app beside an attack, from an account and an address of their own.
actor Bystander {
    /// What bystanders do.
    enum Act: CaseIterable, Sendable { case signIn, refresh, read, write }

    private let caller: LiveCaller
    private let address: String
    private let timeout: Duration
    private let client: RPCClient
    private var session: (access: String, refresh: String)
    private var calls = 0
    /// The idempotency key of the refresh: it is retried until it gets a response (G-25).
    private var refreshKey: String?

    /// Signs up, and verifies the address.
    /// - Parameter timeout: the deadline of its calls.
    init(
        _ number: Int, address: String, timeout: Duration, of callers: LiveCallers
    ) async throws {
        caller = try callers.caller(number, address: address)
        self.address = address
        self.timeout = timeout
        client = callers.client("app")
        let own = try await caller.account(.owner)
        session = (own.accessToken, own.refreshToken)
    }

    /// Makes one call.
    /// - Throws: `ServiceError`.
    func act(_ act: Act) async throws {
        calls += 1
        switch act {
        case .signIn: try await signIn()
        case .refresh: try await refresh()
        case .read: try await read()
        case .write: try await write()
        }
    }

    private func signIn() async throws {
        _ = try await AuthClient(client).signInWithPassword(
            .init(
                email: caller.email, password: Bound.secret(Bound.password), device: caller.own),
            context())
    }

    private func refresh() async throws {
        let key = refreshKey ?? "refresh \(calls) of \(caller.name)"
        refreshKey = key
        let token = session.refresh
        let answer = try await AuthClient(client).refreshSession(
            .init(
                refreshToken: token, device: caller.own,
                deviceProof: try caller.device.proof(token)),
            context(key: key))
        guard let own = answer.session else { throw ClusterError(message: "no session") }
        session = (own.accessToken, own.refreshToken)
        refreshKey = nil
    }

    /// The profile and a document in turns.
    private func read() async throws {
        let context = context().bearing(session.access)
        guard calls.isMultiple(of: 2) else {
            _ = try await ProfileClient(client).getProfile(.init(), context)
            return
        }
        let answer = try await DocumentsClient(client).readDocument(
            .init(collection: Bound.collection, name: Self.document), context)
        guard answer.document != nil else { throw ClusterError(message: "no document") }
    }

    /// A document of a few bytes.
    func write() async throws {
        let json = "{\"count\":\(calls)}"
        _ = try await DocumentsClient(client).writeDocument(
            .init(write: .init(collection: Bound.collection, name: Self.document, json: json)),
            context(key: "write \(calls) of \(caller.name)").bearing(session.access))
    }

    private static let document = "settings"

    private func context(key: String? = nil) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = address
        metadata[Metadata.Key.idempotencyKey] = key
        return client.context(timeout: timeout, metadata: metadata)
    }
}
