import Contracts
import Cryptography
import PublicCalls
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService
@testable import SessionService

/// The key of a stored answer is a hash that contains a name. Under another name the repeat of a
/// call that was made before an upgrade would do everything again.
@Suite("G-25: stored answers keep their names", .timeLimit(.minutes(5)))
struct StoredAnswerTests {
    /// The requests of each method that remembers repeats, by `Service/Method`.
    private static let calls = Dictionary(
        grouping: PublicCalls.all.filter { $0.method.remembersRepeats },
        by: { String($0.method.name.dropFirst("postern.gateway.v1.".count)) })

    @Test("each method of the list remembers repeats")
    func methods() throws {
        let listed = try UnchangedList("answers").lines.map { String($0.prefix { $0 != " " }) }
        #expect(Set(listed).subtracting(Self.calls.keys).sorted() == [])
    }

    /// `gateway` stands for the name in the key that the gateway derives for its own calls.
    @Test("an answer is stored under the names of the list", arguments: calls.keys.sorted())
    func names(method: String) async throws {
        let list = try UnchangedList("answers")
        let known = list.lines.map { $0.split(separator: " ").map(String.init) }
        let flow = known.first { $0[0] == method && $0[1] == "gateway" }?[2]
        try await ProviderFixture.withPeople { fixture in
            let inner = fixture.gateway.inner
            let hashes = [
                "identity": inner.identity.core.writer.keys.calls,
                "session": inner.sessionService.devices.keys.calls,
            ]
            var found: Set<String> = flow.map { ["\(method) gateway \($0)"] } ?? []
            for (number, call) in Self.calls[method, default: []].enumerated() {
                let person = try await PreparedPerson(number, fixture, calling: call)
                let request = try await person.messages(of: call)
                let before = try await inner.answers()
                _ = try await RepeatFixture(fixture.gateway).send(call, request, by: person)
                let context = try Self.innerContext(of: call, by: person, flow ?? "")
                for answer in try await inner.answers().subtracting(before) {
                    let name = try known.first { line in
                        guard line[1] == answer.service, let hash = hashes[line[1]] else {
                            return false
                        }
                        let call = try RepeatableCall(line[2], [], context, hash: hash)
                        return call?.key == answer.key
                    }
                    if let name { found.insert("\(method) \(name[1]) \(name[2])") }
                }
            }
            #expect(list.lost(in: found, about: "\(method) ") == [])
        }
    }

    /// The application and the idempotency key of a call as the service sees them that stores its
    /// answer: the gateway's, or those that the backend signs itself.
    private static func innerContext(
        of call: PublicCall, by person: PreparedPerson, _ flow: String
    ) throws -> CallContext {
        let isBackends = call.caller == .writer
        let derived = try DerivedIdempotencyKey.of(person.contextAtGateway(of: call), flow)
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = isBackends ? person.key : derived
        return CallContext(
            application: isBackends ? BackendSigner.application : CallContext.gateway,
            deadline: .seconds(1), metadata: metadata)
    }
}

/// An answer in a store.
private struct StoredAnswer: Hashable, Sendable {
    let service: String
    let key: [UInt8]
}

extension InnerServices {
    /// The answers in the stores of identity and session.
    fileprivate func answers() async throws -> Set<StoredAnswer> {
        var answers: Set<StoredAnswer> = []
        for (service, store) in [("identity", identityStore), ("session", sessionStore)] {
            let keys = try await store.read { session in
                try session.query("SELECT key_hash FROM idempotency") { try $0.blob(0) }
            }
            answers.formUnion(keys.map { StoredAnswer(service: service, key: $0) })
        }
        return answers
    }
}
