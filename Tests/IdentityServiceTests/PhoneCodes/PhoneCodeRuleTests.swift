import ServiceRuntime
import Testing

@testable import IdentityService

/// The truth table of `PhoneCodeRule`.
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

    @Test("I-06: a guess without a code gets the same error as a wrong guess")
    func none() {
        #expect(step(nil) == .refused(.invalidCode))
        #expect(step(nil, isRepeat: true) == .refused(.invalidCode))
    }

    @Test("R-02: a guess is counted before it is compared, and a code allows five")
    func counts() {
        for evaluated in 0..<5 {
            #expect(
                step(state(evaluated: evaluated)) == .compared(state(evaluated: evaluated + 1)))
        }
        #expect(step(state(evaluated: 5)) == .refused(.invalidCode))
        #expect(step(state(evaluated: 6)) == .refused(.invalidCode))
    }

    @Test("I-06: a code expires exactly at its deadline, and is valid one millisecond earlier")
    func expiry() {
        #expect(step(state(expiresIn: 1)) == .compared(state(evaluated: 1, expiresIn: 1)))
        #expect(step(state(expiresIn: 0)) == .refused(.codeExpired))
        #expect(step(state(expiresIn: -1)) == .refused(.codeExpired))
    }

    @Test("R-02: after five guesses the error does not reveal that the code has expired")
    func guessedOut() {
        #expect(step(state(evaluated: 5, expiresIn: -1)) == .refused(.invalidCode))
    }

    @Test(
        "I-06: a replaced or used code is refused",
        arguments: [
            PhoneCodeState.Stage.void, .used,
        ])
    func ended(stage: PhoneCodeState.Stage) {
        #expect(step(state(stage)) == .refused(.invalidCode))
        #expect(step(state(stage, expiresIn: -1)) == .refused(.invalidCode))
    }

    @Test("G-25: a repeat compares its code again in any stage, within the five guesses")
    func repeats() {
        for stage in [PhoneCodeState.Stage.live, .void, .used] {
            #expect(
                step(state(stage, expiresIn: -1), isRepeat: true)
                    == .compared(state(stage, evaluated: 1, expiresIn: -1)))
            #expect(
                step(state(stage, evaluated: 5), isRepeat: true) == .refused(.invalidCode))
        }
    }

    @Test("I-06: a right guess is not counted, and may use the code up")
    func right() {
        let counted = state(evaluated: 3)
        #expect(PhoneCodeRule.right(counted, isUsedUp: false) == state(evaluated: 2))
        #expect(PhoneCodeRule.right(counted, isUsedUp: true) == state(.used, evaluated: 2))
    }
}
