import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-01: calls about passkeys at once, and after a restore", .timeLimit(.minutes(1)))
struct PasskeyRacesTests {
    @Test("F-01: of 20 additions at once beside 19 passkeys one is written")
    func lastPlace() async throws {
        let person = try await PasskeyPerson()
        for _ in 1..<PasskeyRow.countMax {
            try await person.add(try TestPasskey(randomness: person.identity.randomness))
        }
        var additions: [(TestCeremony, TestPasskey)] = []
        for _ in 0..<20 {
            additions.append(
                (
                    TestCeremony(challenge: try await person.beginAdd().challenge),
                    try TestPasskey(randomness: person.identity.randomness)
                ))
        }
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for (ceremony, passkey) in additions {
                group.addTask {
                    do {
                        try await person.add(ceremony, of: passkey)
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internalError
                    }
                }
            }
            return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .passkeyQuota } == 19)
        #expect(try await person.identity.count("passkeys") == Int64(PasskeyRow.countMax))
        #expect(
            try await person.identity.audited("passkey.added") == Int64(PasskeyRow.countMax))
    }

    @Test("F-01: one credential that two accounts add at once is one account's")
    func sameCredential() async throws {
        let person = try await PasskeyPerson()
        let eve = person.identity.devices.open(
            try await person.identity.registerProved("eve@example.org").accountId)
        let own = TestCeremony(challenge: try await person.beginAdd().challenge)
        let hers = TestCeremony(challenge: try await person.beginAdd(in: eve).challenge)
        async let first: ErrorCode? = Self.code { try await person.add(own) }
        async let second: ErrorCode? = Self.code { try await person.add(hers, in: eve) }
        let codes = await [first, second]
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .credentialAlreadyInUse } == 1)
        #expect(try await person.identity.count("passkeys") == 1)
    }

    private static func code(
        _ call: @Sendable () async throws -> GatewayV1.AddPasskeyResponse
    ) async -> ErrorCode? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? ServiceError)?.code ?? .internalError
        }
    }

    @Test("I-06: a removed passkey is back after a restore; a signature from before is refused")
    func restored() async throws {
        let person = try await PasskeyPerson()
        let id = try await person.add().passkeyId
        let before = TestCeremony(challenge: try await person.signInChallenge())
        let folder = try TemporaryFolder()
        try await person.identity.store.backup(to: folder.file("identity.sqlite"))
        _ = try await person.signIn(before)
        try await person.remove(id)
        let copy = try PasskeyPerson(person, in: folder)
        try await IdentityRestore.settle(copy.identity.store)
        #expect(try await refusal { try await copy.signIn(before) }.code == .invalidPasskey)
        copy.identity.time.advance(by: .seconds(1))
        _ = try await copy.signIn()
        #expect(try await copy.list().passkeys.map(\.passkeyId) == [id])
    }
}
