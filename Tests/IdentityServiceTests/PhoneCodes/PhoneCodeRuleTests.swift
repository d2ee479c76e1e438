import ServiceRuntime
import Testing

@testable import IdentityService

/// The table of `PhoneCodeRule`.
struct PhoneCodeRuleTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    private func state(
        _ stage: PhoneCodeState.Stage = .live, evaluated: Int = 0, expiresIn: Int64 = 1
    ) -> PhoneCodeState {
        PhoneCodeState(
            stage: stage, evaluated: evaluated,
            expiresAt: Self.now + .milliseconds(expiresIn))
    }

    private func step(_ state: PhoneCodeState?, isRepeat: Bool = false) -> PhoneCodeRule.Step {
        PhoneCodeRule.guessed(state, isRepeat: isRepeat, at: Self.now)
    }

    @Test("I-06: no code is as wrong as a wrong one")
    func none() {
        #expect(step(nil) == .refused(.invalidCode))
        #expect(step(nil, isRepeat: true) == .refused(.invalidCode))
    }

    @Test("R-02: a guess is counted before it is compared, five times and no more")
    func counts() {
        for evaluated in 0..<5 {
            #expect(
                step(state(evaluated: evaluated)) == .compared(state(evaluated: evaluated + 1)))
        }
        #expect(step(state(evaluated: 5)) == .refused(.invalidCode))
        #expect(step(state(evaluated: 6)) == .refused(.invalidCode))
    }

    @Test("I-06: at its end a code has expired, a millisecond before it has not")
    func expiry() {
        #expect(step(state(expiresIn: 1)) == .compared(state(evaluated: 1, expiresIn: 1)))
        #expect(step(state(expiresIn: 0)) == .refused(.codeExpired))
        #expect(step(state(expiresIn: -1)) == .refused(.codeExpired))
    }

    @Test("R-02: who has guessed five times is not told that the code has expired")
    func guessedOut() {
        #expect(step(state(evaluated: 5, expiresIn: -1)) == .refused(.invalidCode))
    }

    @Test(
        "I-06: what was replaced or used is worth nothing",
        arguments: [
            PhoneCodeState.Stage.void, .used,
        ])
    func ended(stage: PhoneCodeState.Stage) {
        #expect(step(state(stage)) == .refused(.invalidCode))
        #expect(step(state(stage, expiresIn: -1)) == .refused(.invalidCode))
    }

    @Test("G-25: the same call is looked at again, whatever has become of its code")
    func repeats() {
        for stage in [PhoneCodeState.Stage.live, .void, .used] {
            #expect(
                step(state(stage, expiresIn: -1), isRepeat: true)
                    == .compared(state(stage, evaluated: 1, expiresIn: -1)))
            #expect(
                step(state(stage, evaluated: 5), isRepeat: true) == .refused(.invalidCode))
        }
    }

    @Test("I-06: a right guess is not held against its owner, and may use the code up")
    func right() {
        let counted = state(evaluated: 3)
        #expect(PhoneCodeRule.right(counted, isUsedUp: false) == state(evaluated: 2))
        #expect(PhoneCodeRule.right(counted, isUsedUp: true) == state(.used, evaluated: 2))
    }
}
