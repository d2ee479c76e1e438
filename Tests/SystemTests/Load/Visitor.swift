import Messages
import ServiceRuntime

/// Somebody who is signed in and uses an app: checks and refreshes, one call after the other. What
/// was acknowledged to them must hold, whatever happens between.
actor Visitor {
    let person: Person
    private(set) var session: GatewayV1.Session
    private var turns = 0
    /// The refresh under way: it is repeated under its key until it is answered (G-25).
    private var refreshKey: String?
    private var refreshes = 0

    init(_ person: Person, _ session: GatewayV1.Session) {
        self.person = person
        self.session = session
    }

    /// Signs up `count` people.
    static func signUp(
        _ numbers: Range<Int>, _ backend: Backend
    ) async throws -> [Visitor] {
        var visitors: [Visitor] = []
        for number in numbers {
            let person = Person(number)
            let session = try await backend.signUp(person, key: "sign-up of \(number)")
            visitors.append(Visitor(person, session))
        }
        return visitors
    }

    /// One call: a refresh each fourth time, else a check.
    /// - Returns: whether it was answered.
    func call(
        _ backend: Backend, _ records: CallRecords, timeout: Duration
    ) async -> Bool {
        turns += 1
        if turns % 4 == 0 || refreshKey != nil {
            return await refresh(backend, records, timeout: timeout)
        }
        let (token, person) = (session.accessToken, person)
        let isSignedIn = await records.note("check", timeout: timeout) {
            try await backend.isSignedIn(token, of: person, timeout: timeout)
        }
        return isSignedIn == true
    }

    /// Exchanges the refresh token, or asks again for the answer that was lost.
    func refresh(
        _ backend: Backend, _ records: CallRecords, timeout: Duration
    ) async -> Bool {
        let key = refreshKey ?? "refresh \(refreshes) of \(person.device)"
        refreshKey = key
        let (token, person) = (session.refreshToken, person)
        let answer = await records.note("refresh", timeout: timeout) {
            try await backend.refresh(token, of: person, key: key, timeout: timeout)
        }
        guard let answer else { return false }
        session = answer
        refreshKey = nil
        refreshes += 1
        return true
    }
}
