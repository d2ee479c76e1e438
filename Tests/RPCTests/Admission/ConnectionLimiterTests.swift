import NIOCore
import Testing

@testable import RPC

@Suite("Limits on the number of connections")
struct ConnectionLimiterTests {
    typealias Limiter = ConnectionLimiter<Int, Int>

    private func limiter(_ change: (inout ServerLimits) -> Void) -> Limiter {
        var limits = ServerLimits()
        change(&limits)
        return Limiter(limits)
    }

    private func address(_ last: UInt8) -> PeerAddress { PeerAddress(four: [192, 0, 2, last]) }

    /// The limiter's answer to connection `id`, as a short text.
    private func arrive(_ id: Int, _ address: PeerAddress?, in limiter: inout Limiter) -> String {
        switch limiter.arrived(id, id, from: address) {
        case .admitted(let crowded?): "instead of \(crowded.peer)"
        case .admitted(nil): "in"
        case .refused(let reason, isNotified: true): reason.rawValue
        case .refused(let reason, isNotified: false): "\(reason.rawValue), cut"
        }
    }

    @Test("the total of connections is limited exactly, and a closed one frees its place")
    func total() {
        var limiter = limiter { $0.connectionsMax = 2 }
        let answers = (1...3).map { arrive($0, nil, in: &limiter) }
        #expect(answers == ["in", "in", "total"])
        limiter.left(3)
        #expect(arrive(4, nil, in: &limiter) == "total")
        limiter.left(1)
        #expect(arrive(5, nil, in: &limiter) == "in")
        #expect(limiter.count == 2)
    }

    @Test("connections from one address are limited, and other addresses are not affected")
    func address() {
        var limiter = limiter { $0.connectionsPerAddressMax = 2 }
        let answers = (1...3).map { arrive($0, address(1), in: &limiter) }
        #expect(answers == ["in", "in", "address"])
        #expect(arrive(4, address(2), in: &limiter) == "in")
        limiter.left(2)
        #expect(arrive(5, address(1), in: &limiter) == "in")
        #expect(arrive(6, address(1), in: &limiter) == "address")
    }

    @Test("loopback has its own limit, since all programs of a machine share it")
    func loopback() {
        var limiter = limiter { $0.connectionsPerAddressMax = 1 }
        let loopback = PeerAddress(four: [127, 0, 0, 1])
        let all = (1...50).map { arrive($0, loopback, in: &limiter) }
        #expect(all.allSatisfy { $0 == "in" })
        limiter = self.limiter { $0.connectionsPerLoopbackMax = 1 }
        let answers = (1...2).map { arrive($0, loopback, in: &limiter) }
        #expect(answers == ["in", "address"])
    }

    @Test("a new connection displaces the oldest one without a Hello, never one that sent it")
    func ungreeted() {
        var limiter = limiter { $0.ungreetedMax = 2 }
        _ = arrive(1, address(1), in: &limiter)
        limiter.greeted(1)
        let answers = (2...3).map { arrive($0, address(2), in: &limiter) }
        #expect(answers == ["in", "in"])
        #expect(arrive(4, address(2), in: &limiter) == "instead of 2")
        limiter.left(2)
        #expect(arrive(5, address(3), in: &limiter) == "instead of 3")
        limiter.greeted(5)
        #expect(arrive(6, address(2), in: &limiter) == "in")
        #expect(arrive(7, address(2), in: &limiter) == "instead of 4")
    }

    @Test("a connection that sends Hello while it is being displaced stays and counts as greeted")
    func spokeInTime() {
        var limiter = limiter { $0.ungreetedMax = 1 }
        _ = arrive(1, nil, in: &limiter)
        #expect(arrive(2, nil, in: &limiter) == "instead of 1")
        limiter.greeted(1)
        limiter.greeted(2)
        #expect(arrive(3, nil, in: &limiter) == "in")
        #expect(limiter.count == 3)
    }

    @Test("a limited number of rejected connections get a GoAway, and the rest are closed at once")
    func storm() {
        var limiter = limiter { $0.connectionsMax = 0 }
        let notified = (0..<1_000).filter { arrive($0, nil, in: &limiter) == "total" }
        #expect(notified == Array(0..<Limiter.partingMax))
        limiter.left(0)
        #expect(arrive(1_000, nil, in: &limiter) == "total")
        #expect(arrive(1_001, nil, in: &limiter) == "total, cut")
    }

    @Test("closed connections leave no state behind")
    func empty() {
        var limiter = limiter {
            $0.connectionsMax = 50
            $0.connectionsPerAddressMax = 5
            $0.ungreetedMax = 7
        }
        for id in 0..<500 {
            _ = arrive(id, address(UInt8(id % 20)), in: &limiter)
            if id.isMultiple(of: 3) { limiter.greeted(id) }
            if id >= 40 { limiter.left(id - 40) }
        }
        for id in 0..<500 { limiter.left(id) }
        #expect(limiter.isEmpty)
        #expect(limiter.addressCount == 0)
    }
}

@Suite("Client addresses as the limits count them")
struct PeerAddressTests {
    private func six(_ groups: UInt16...) -> PeerAddress {
        PeerAddress(six: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
    }

    @Test("SECURITY.md, Limits: IPv6 addresses are counted by their /64 prefix")
    func prefix() {
        let one = six(0x2001, 0xdb8, 1, 2, 3, 4, 5, 6)
        #expect(one == six(0x2001, 0xdb8, 1, 2, 0xffff, 0, 0, 1))
        #expect(one != six(0x2001, 0xdb8, 1, 3, 3, 4, 5, 6))
    }

    @Test("SECURITY.md, Limits: an IPv4-mapped IPv6 address counts as its full IPv4 address")
    func mapped() {
        #expect(six(0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201) == PeerAddress(four: [192, 0, 2, 1]))
        #expect(six(0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0202) != PeerAddress(four: [192, 0, 2, 1]))
        #expect(six(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1).isLoopback)
        // An IPv6 address whose first half has the same number is a different address.
        #expect(six(0, 0, 0xc000, 0x0201, 0, 0, 0, 0) != PeerAddress(four: [192, 0, 2, 1]))
    }

    @Test("loopback is 127/8 and ::1 and nothing else")
    func loopback() {
        #expect(six(0, 0, 0, 0, 0, 0, 0, 1).isLoopback)
        #expect(!six(0, 0, 0, 0, 0, 0, 0, 2).isLoopback)
        #expect(!six(0, 0, 0, 0, 0, 0, 0x7f00, 1).isLoopback)
        #expect(PeerAddress(four: [127, 9, 9, 9]).isLoopback)
        #expect(!PeerAddress(four: [128, 0, 0, 1]).isLoopback)
    }

    @Test("an IPv4 or IPv6 SocketAddress converts to its PeerAddress")
    func system() throws {
        let four = try SocketAddress(ipAddress: "192.0.2.1", port: 9)
        #expect(PeerAddress(four) == PeerAddress(four: [192, 0, 2, 1]))
        let six = try SocketAddress(ipAddress: "2001:db8:1:2::9", port: 9)
        #expect(PeerAddress(six) == self.six(0x2001, 0xdb8, 1, 2, 3, 4, 5, 6))
        #expect(PeerAddress(nil) == nil)
    }
}
