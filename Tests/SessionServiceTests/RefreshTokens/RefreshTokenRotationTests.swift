import ServiceRuntime
import Testing

@testable import SessionService

@Suite("G-10: each row of the rotation rule is right")
struct RefreshTokenRotationTests {
    typealias Decision = RefreshTokenRotation.Decision

    let grace: Duration = .seconds(30)
    let rotatedAt = Timestamp(milliseconds: 1_000_000)

    private func decision(
        _ counter: Int64, after age: Duration = .seconds(1), confirmed: Bool = false,
        isBound: Bool = false, proof: DeviceProofRule.Finding = .absent, isElsewhere: Bool = false,
        _ state: SessionLife.State = .live
    ) -> Decision {
        RefreshTokenRotation.decision(
            on: .init(counter: counter, proof: proof, isElsewhere: isElsewhere),
            of: .init(
                leaf: 5, rotatedAt: rotatedAt, confirmed: confirmed ? 5 : 4, isBound: isBound),
            state, grace: grace, at: rotatedAt + age)
    }

    @Test("the leaf rotates; a counter that was never issued is unknown", arguments: [false, true])
    func leaf(confirmed: Bool) {
        #expect(decision(5, confirmed: confirmed) == .rotate(to: 6))
        #expect(decision(5, after: .seconds(9_999), confirmed: confirmed) == .rotate(to: 6))
        #expect(decision(6, confirmed: confirmed) == .unknown)
        #expect(decision(.max, confirmed: confirmed) == .unknown)
    }

    @Test("without a key the parent is answered again until the exact end of the grace")
    func edges() {
        #expect(decision(4, after: .zero) == .again(givenAt: rotatedAt))
        #expect(decision(4, after: .milliseconds(29_999)) == .again(givenAt: rotatedAt))
        #expect(decision(4, after: .seconds(30)) == .replayed)
        #expect(decision(4, after: .zero, confirmed: true) == .replayed, "the response arrived")
        for counter in Int64(1)...3 { #expect(decision(counter, after: .zero) == .replayed) }
    }

    @Test("S-04: with a key and its proof any issued token gets a response, however late")
    func proved() {
        let late: Duration = .seconds(5_000_000)
        let now = rotatedAt + late
        func proved(_ counter: Int64, _ signedAt: Timestamp) -> Decision {
            decision(
                counter, after: late, confirmed: true, isBound: true,
                proof: .proved(signedAt: signedAt))
        }
        #expect(proved(5, now) == .rotate(to: 6))
        for counter in Int64(1)...4 {
            #expect(proved(counter, now - .seconds(9)) == .again(givenAt: now - .seconds(9)))
            #expect(proved(counter, now + .seconds(9)) == .again(givenAt: now), "a fast clock")
        }
        #expect(proved(6, now) == .unknown)
        #expect(
            decision(
                4, after: .zero, isBound: true, proof: .proved(signedAt: rotatedAt - .seconds(9)))
                == .again(givenAt: rotatedAt), "a slow clock")
    }

    @Test("S-04: with a key but no valid proof every token is rejected and none ends the session")
    func unproved() {
        let rows: [(DeviceProofRule.Finding, ErrorCode)] = [
            (.absent, .deviceProofRequired), (.stale, .deviceProofStale),
            (.wrong, .invalidDeviceProof),
        ]
        for (proof, code) in rows {
            for counter in Int64(1)...5 {
                #expect(decision(counter, isBound: true, proof: proof) == .refused(code))
            }
            #expect(decision(6, isBound: true, proof: proof) == .unknown)
        }
    }

    @Test("S-04: another device is rejected, except for a replay, which ends the session")
    func elsewhere() {
        #expect(decision(5, isElsewhere: true) == .refused(.deviceMismatch))
        #expect(decision(4, isElsewhere: true) == .refused(.deviceMismatch))
        #expect(decision(4, after: grace, isElsewhere: true) == .replayed)
        #expect(decision(3, isElsewhere: true) == .replayed)
    }

    @Test("an ended session gives that result for every token", arguments: EndReason.allCases)
    func endedRows(reason: EndReason) {
        for counter in [Int64(1), 4, 5, 6] {
            #expect(decision(counter, .ended(reason)) == .hasEnded)
            #expect(decision(counter, .over(reason)) == .isOver(reason))
            #expect(decision(counter, isBound: true, .ended(reason)) == .hasEnded)
        }
    }
}
