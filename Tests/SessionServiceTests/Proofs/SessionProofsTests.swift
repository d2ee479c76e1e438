import Contracts
import ServiceRuntime
import Storage
import Testing

@testable import SessionService

@Suite("G-13, S-02: a session stores its owner's proofs")
struct SessionProofsTests {
    private static func proof(_ methods: String, _ moment: Int64) -> SessionProof {
        SessionProof(
            methods: methods.split(separator: " ").map(String.init),
            at: Timestamp(milliseconds: moment))
    }

    private static func proofs(_ recorded: [(String, Int64)]) -> SessionProofs {
        var proofs = SessionProofs(signIn: proof("pwd", 100))
        for (methods, moment) in recorded { proofs.record(proof(methods, moment)) }
        return proofs
    }

    @Test(
        "G-13: the sign-in's method stays, each method keeps its latest time, the last is reported",
        arguments: [
            ([], "pwd", Int64(100), 1),
            ([("pwd", 200)], "pwd", 200, 1),
            ([("pwd", 50)], "pwd", 100, 1),
            ([("otp", 200)], "otp", 200, 2),
            ([("otp", 200), ("pwd", 300)], "pwd", 300, 2),
            ([("otp", 200), ("otp", 150)], "otp", 200, 2),
            // A device may have signed before another proof was made; auth_time never goes back.
            ([("otp", 200), ("hwk user", 199)], "otp", 200, 3),
            ([("otp", 200), ("hwk user", 200)], "hwk user", 200, 3),
            (zip("abcdefghi", Int64(1)...).map { (String($0), $1) }, "pwd", 100, 9),
        ] as [([(String, Int64)], String, Int64, Int)])
    func table(recorded: [(String, Int64)], latest: String, at moment: Int64, count: Int) {
        let proofs = Self.proofs(recorded)
        #expect(proofs.signIn.methods == ["pwd"])
        #expect(proofs.latest == Self.proof(latest, moment))
        #expect(proofs.all.count == count)
    }

    @Test("F-04: each way to re-authenticate has its place, so none takes a second proof away")
    func all() {
        let ways = [
            "pwd", "sms otp", "fed", "fed mfa", "otp totp mfa", "otp recovery mfa", "hwk user",
            "swk user",
        ]
        var proofs = SessionProofs(signIn: Self.proof("otp pwd", 0))
        for round in 0..<2 {
            for (number, way) in ways.enumerated() {
                proofs.record(Self.proof(way, Int64(1 + round * 10 + number)))
            }
        }
        #expect(proofs.all.count == 1 + ways.count)
        #expect(Set(proofs.later.map { $0.methods.joined(separator: " ") }) == Set(ways))
    }

    @Test("F-04: the assurance follows from all proofs, and not from the latest")
    func assurance() {
        #expect(Self.proofs([]).assurance == .aal1)
        let stepped = Self.proofs([("otp totp mfa", 200), ("pwd", 300)])
        #expect(stepped.latest.methods == ["pwd"] && stepped.assurance == .aal2)
        #expect(SessionProofs(signIn: Self.proof("anon", 1)).assurance == nil)
    }

    @Test("the stored text is read back unchanged; with only the sign-in's method there is none")
    func text() throws {
        #expect(Self.proofs([("pwd", 300)]).text == nil)
        let several = Self.proofs([("hwk user", 200), ("otp", 150)])
        #expect(several.text == "pwd@100;hwk user@200;otp@150")
        #expect(try SessionProofs(stored: several.text, latest: several.latest) == several)
        let alone = try SessionProofs(stored: nil, latest: Self.proof("pwd", 7))
        #expect(alone.all == [Self.proof("pwd", 7)])
    }

    @Test("a proof that an older version has recorded since is added")
    func older() throws {
        let proofs = try SessionProofs(
            stored: "pwd@100;otp@200", latest: Self.proof("hwk user", 300))
        #expect(proofs.latest == Self.proof("hwk user", 300))
        #expect(proofs.signIn == Self.proof("pwd", 100))
    }

    @Test(
        "an invalid stored text is an error and gives no session",
        arguments: ["", "pwd", "pwd@", "pwd@1;x"])
    func broken(text: String) {
        #expect(throws: SQLError.self) {
            try SessionProofs(stored: text, latest: Self.proof("pwd", 1))
        }
    }

    @Test(
        "a method that would break the stored text is rejected on input",
        arguments: ["", "a b", "a;b", "a@b"])
    func methods(text: String) {
        #expect(!SessionProofs.isStorable(text))
        #expect(SessionProofs.isStorable("pwd"))
    }
}
