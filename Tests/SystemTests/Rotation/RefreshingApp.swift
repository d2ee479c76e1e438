import Messages
import ServiceRuntime

/// An app that refreshes repeatedly, without idempotency keys: after a lost response it retries
/// with the token that it has. Whatever was acknowledged to it must stay valid.
actor RefreshingApp {
    /// Five times as long as a program needs to restart.
    private static let attemptsMax = 100
    private static let pause = Duration.milliseconds(100)

    let person: Person
    private let device: AppDevice?
    private(set) var session: GatewayV1.Session

    private init(_ person: Person, _ device: AppDevice?, _ session: GatewayV1.Session) {
        self.person = person
        self.device = device
        self.session = session
    }

    /// Signs the `number`-th person up, then in, with or without a device key.
    static func signIn(
        _ number: Int, hasKey: Bool, _ backend: LoadBackend
    ) async throws -> RefreshingApp {
        let person = Person(number)
        _ = try await backend.signUp(person, key: "sign-up of \(number)")
        let device = hasKey ? try AppDevice() : nil
        let session = try await backend.signIn(
            person, deviceKey: try device?.key(deviceID: person.device))
        return RefreshingApp(person, device, session)
    }

    /// Refreshes `times` times, each until it succeeds.
    func refresh(times: Int, _ backend: LoadBackend) async throws {
        for _ in 0..<times { session = try await refreshed(backend) }
    }

    private func refreshed(_ backend: LoadBackend) async throws -> GatewayV1.Session {
        var last = ""
        for _ in 0..<Self.attemptsMax {
            do {
                return try await Self.refresh(session.refreshToken, person, device, backend)
            } catch let error as ServiceError where error.isPassing {
                last = error.code.rawValue
                try await Task.sleep(for: Self.pause)
            }
        }
        throw ClusterError(message: "\(person.device) gets no response: \(last)")
    }

    /// Uses one token concurrently.
    /// - Returns: the refresh tokens that were issued.
    func refreshAtOnce(count: Int, _ backend: LoadBackend) async throws -> Set<String> {
        let (token, person, device) = (session.refreshToken, person, device)
        let children = try await withThrowingTaskGroup(of: GatewayV1.Session.self) { group in
            for _ in 0..<count {
                group.addTask { try await Self.refresh(token, person, device, backend) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        session = children.first ?? session
        return Set(children.map(\.refreshToken))
    }

    private static func refresh(
        _ token: String, _ person: Person, _ device: AppDevice?, _ backend: LoadBackend
    ) async throws -> GatewayV1.Session {
        try await backend.refresh(token, of: person, key: nil, proof: try device?.proof(token))
    }
}

extension ServiceError {
    /// The errors that an app gets while a program is unavailable.
    fileprivate var isPassing: Bool { code.entry.isRetryable || code == .internalError }
}
