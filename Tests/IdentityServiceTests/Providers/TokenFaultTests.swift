import Cryptography
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-36: what is wrong with a provider's token, for developers")
struct TokenFaultTests {
    @Test("each violated rule has its sentence")
    func claims() {
        let table: [(ProviderTokenCheck.Refusal, TokenFault)] = [
            (.nonceMissing, .nonce), (.nonceUnknown, .nonceUnknown),
            (.nonceProvider, .nonceUnknown), (.nonceExpired, .nonceExpired),
            (.claims, .malformed), (.issuer, .foreign), (.audience, .audience),
            (.authorisedParty, .audience), (.expired, .expired), (.issuedAt, .times),
            (.subject, .malformed), (.nonce, .nonce),
        ]
        #expect(table.map(\.0) == ProviderTokenCheck.Refusal.allCases)
        for (refusal, fault) in table { #expect(TokenFault(refusal) == fault, "\(refusal)") }
    }

    @Test("each reason for which a token cannot be verified has its sentence")
    func tokens() {
        let foreign: Set<TokenRefusal> = [.issuer, .unknownKey, .signature]
        for refusal in TokenRefusal.allCases {
            let expected: TokenFault =
                switch refusal {
                case .expired: .expired
                case .audience: .audience
                default: foreign.contains(refusal) ? .foreign : .malformed
                }
            #expect(TokenFault(refusal) == expected, "\(refusal)")
        }
    }

    @Test("the sentence is the violation's, of the token or of the nonce")
    func violations() {
        for fault in TokenFault.allCases {
            let isAboutNonce = [.nonce, .nonceUnknown, .nonceExpired].contains(fault)
            #expect(fault.violation.field == (isAboutNonce ? "nonce" : "id_token"))
            #expect(fault.violation.userMessage == fault.rawValue && fault.violation.rule.isEmpty)
        }
        #expect(Set(TokenFault.allCases.map(\.rawValue)).count == TokenFault.allCases.count)
    }
}
