import Contracts
import Testing

@testable import RateLimitService

@Suite("R-03: addresses are reduced to the network that one customer has")
struct AddressPrefixTests {
    @Test(
        "R-03: IPv4 is unchanged, IPv6 becomes its /64, and mapped IPv4 becomes IPv4",
        arguments: [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("::FFFF:c000:0207", "192.0.2.7"),
            ("0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "20010db800010002/64"),
            ("2001:DB8:1:2::", "20010db800010002/64"),
            ("2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "20010db800010002/64"),
            ("2001:db8:1:3::1", "20010db800010003/64"),
            ("::", "0000000000000000/64"),
            ("::1", "0000000000000000/64"),
            ("fe80::1%eth0", "fe80000000000000/64"),
            ("fe80::2%25en1", "fe80000000000000/64"),
            ("::ffff:192.0.2.7%lo", "192.0.2.7"),
        ])
    func table(address: String, folded: String) {
        #expect(AddressPrefix.of(address, v6: 8) == folded)
        #expect(AddressPrefix.of("\(address)|d1", v6: 8) == "\(folded)|d1")
        #expect(AddressPrefix.of("\(address)|a|b|", v6: 8) == "\(folded)|a|b|")
        #expect(AddressPrefix.of("\(address)|", v6: 8) == "\(folded)|")
    }

    @Test(
        "R-03: text that is not an address is unchanged and causes no trap",
        arguments: [
            "", "|", "||", "|2001:db8::1", "app", "app|ada@example.org", "192.0.2", "192.0.2.256",
            "0192.0.2.7", "0x7f.1", "2130706433", " 192.0.2.7", "192.0.2.7 ", "192.0.2.7:80",
            "[2001:db8::1]", "2001:db8::1/64", "2001:db8::1::", ":::", "1:2:3:4:5:6:7:8:9", "%eth0",
            "192.0.2.7%eth0", "२.२.२.२", "\u{0}", "\u{feff}192.0.2.7", "192.0.2.7\n",
            "192.0.2.7\u{0}",
            String(repeating: ":", count: 10_000), String(repeating: "f", count: 100_000),
        ])
    func hostile(text: String) {
        #expect(AddressPrefix.of(text, v6: 8) == text)
    }

    @Test("R-03: sign-ups count by /48, which is what one customer is assigned")
    func site() {
        for address in ["2001:db8:1:2::1", "2001:DB8:1:ffff::2"] {
            #expect(AddressPrefix.of(address, v6: 6) == "20010db80001/48")
            #expect(AddressPrefix.of("\(address)|a@b", v6: 6) == "20010db80001/48|a@b")
        }
        #expect(AddressPrefix.of("2001:db8:2::1", v6: 6) == "20010db80002/48")
        #expect(AddressPrefix.of("::ffff:192.0.2.7", v6: 6) == "192.0.2.7")
    }

    @Test("R-03: a network is an IPv6 /48 or an IPv4 /24; other text is unchanged")
    func networks() {
        for address in ["192.0.2.7", "192.0.2.250", "::ffff:192.0.2.8"] {
            #expect(AddressPrefix.of(address, v6: 6, v4: 3) == "192.0.2/24")
        }
        #expect(AddressPrefix.of("2001:db8:1:ff::1", v6: 6, v4: 3) == "20010db80001/48")
        #expect(AddressPrefix.of("app", v6: 6, v4: 3) == "app")
    }

    /// Stored hashes are of these forms.
    @Test("R-03: only the limits by address reduce an address")
    func limits() {
        let households: [LimitName] = [
            .failedSignInByDevice, .failedSignInByAddress, .failedProviderByDevice,
            .failedProviderByAddress, .failedPasskeyByAddress, .passwordCheckByAddress,
        ]
        let sites: [LimitName] = [
            .signUpByAddress, .guestSignUpByAddress, .signUpOnTakenEmail, .failedSignInBySite,
            .phoneCodeByAddress, .phoneCodeGuessByAddress, .passwordResetByAddress,
            .signInFailuresBySite, .signInWithoutHistoryBySite, .newSubjectsBySite,
            .signUpBySharedSite, .accountsBySite, .accountAtSite,
        ]
        func canonical(_ subject: LimitSubject) -> String { subject.canonical("2001:db8:1:2::1") }
        for limit in households {
            #expect(canonical(limit.definition.subject) == "20010db800010002/64", "\(limit)")
        }
        for limit in sites {
            #expect(canonical(limit.definition.subject) == "20010db80001/48", "\(limit)")
        }
        let reduced = Set((households + sites).map(\.definition.subject))
        for subject in LimitSubject.allCases where !reduced.contains(subject) {
            #expect(canonical(subject) == "2001:db8:1:2::1", "\(subject)")
        }
    }
}
