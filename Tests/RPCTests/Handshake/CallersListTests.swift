import Testing

@testable import RPC

@Suite("The list of callers")
struct CallersListTests {
    @Test("each line is a caller with its permissions; comments and empty lines are skipped")
    func lines() throws {
        let list = try CallersList(
            text: """
                # who            what
                gateway          client-address   # the one that people come through
                \ttool\r

                edge certificate=spiffe://example.org/edge certificate=edge.example.org \
                postern.session.v1.Sessions/ValidateAccessToken postern.gateway.v1.Gateway/*
                """)
        #expect(list.entries.map(\.application) == ["gateway", "tool", "edge"])
        let (gateway, tool, edge) = (list.entries[0], list.entries[1], list.entries[2])
        #expect(gateway.mayAssertClientAddress)
        #expect(gateway.methods == nil)
        #expect(gateway.certificateNames == ["gateway"])
        #expect(!tool.mayAssertClientAddress)
        #expect(edge.certificateNames == ["spiffe://example.org/edge", "edge.example.org"])
        #expect(
            edge.methods?.map(\.description) == [
                "postern.session.v1.Sessions/ValidateAccessToken", "postern.gateway.v1.Gateway/*",
            ])
        #expect(try CallersList(text: "").entries.isEmpty)
    }

    @Test(
        "an unknown word and a duplicate caller are errors that name their line",
        arguments: [
            ("a\nb client-adress", 2), ("a\n\na", 3), ("a b", 1), ("a certificate=", 1),
            ("a x.v1.Y/", 1), ("a */*", 1), ("a x.v1.*/Z", 1), ("a x.v1.Y/Z*", 1),
            ("a x.v1.Y/Z/W", 1), ("x.v1.Y/Z", 1), ("certificate=x", 1), ("a.k1", 1),
        ])
    func problems(text: String, line: Int) {
        let error = #expect(throws: CallersList.ParseError.self) { try CallersList(text: text) }
        #expect(error?.mistakes.map(\.line) == [line])
    }

    @Test("all mistakes are in one error, with the file")
    func allProblems() throws {
        let text = "a client-adress b\ntool\na/b\ntool x.v1.Y/\n"
        let error = #expect(throws: CallersList.ParseError.self) {
            try CallersList(text: text, file: "/etc/callers")
        }
        #expect(error?.mistakes.map(\.line) == [1, 1, 3, 4, 4])
        #expect(error?.description.hasPrefix("/etc/callers: line 1: client-adress is") == true)
        #expect(error?.description.contains("; line 3: a/b is not an application name;") == true)
    }

    @Test("a pattern that matches no method of the server is reported")
    func unknownMethods() throws {
        let names = ["a.v1.B/Get", "postern.session.v1.Sessions/ValidateAccessToken"]
        let list = try CallersList(
            text: """
                edge a.v1.B/* a.v1.Bb/* a.v1.B/Gett public-methods
                billing postern.session.v1.Sessions/Validate
                tool
                """)
        #expect(list.unknownMethods(of: names) == ["a.v1.Bb/*", "a.v1.B/Gett"])
        let moved = try CallersList(text: "gateway postern.identity.v1.AccountAdmin/*")
        #expect(
            moved.unknownMethods(of: names)
                == ["postern.identity.v1.AccountAdmin/* (now in postern.gateway.v1.Admin)"])
    }

    @Test("X-03: a line without methods lifts no restriction that the server has for its caller")
    func limited() throws {
        let events = try #require(MethodPattern("postern.events.v1.Events/*"))
        let named = try #require(MethodPattern("a.v1.B/Get"))
        let list = try CallersList(text: "notification\ntool client-address\n")
            .limited(to: ["notification": [events], "other": [named]])
        #expect(list.entries.map(\.application) == ["notification", "tool"])
        #expect(list.entries[0].methods == [events])
        #expect(list.entries[1].methods == nil && list.entries[1].mayAssertClientAddress)
        let explicit = try CallersList(text: "notification a.v1.B/Get\n")
            .limited(to: ["notification": [events]])
        #expect(explicit.entries[0].methods == [named])
    }

    @Test("a pattern matches its method or its service, not names that begin the same way")
    func patterns() throws {
        let one = try #require(MethodPattern("a.v1.B/Get"))
        let all = try #require(MethodPattern("a.v1.B/*"))
        let names = [
            "a.v1.B/Get", "a.v1.B/GetAll", "a.v1.BB/Get", "postern.health.v1.Health/Check",
        ]
        #expect(allowed([one], names) == [true, false, false, true])
        #expect(allowed([all], names) == [true, true, false, true])
        #expect(allowed([], names) == [false, false, false, true])
        #expect(allowed(nil, names) == [true, true, true, true])
    }

    @Test("a method's former name permits the method, and is reported")
    func formerName() throws {
        let former = "postern.session.v1.Sessions/Validate"
        let names = [
            "postern.session.v1.Sessions/ValidateAccessToken",
            "postern.session.v1.Sessions/InspectSession",
        ]
        let list = try CallersList(text: "billing \(former)\nedge \(names[1]) a.v1.B/*")
        #expect(allowed(list.entries[0].methods, names) == [true, false])
        #expect(list.formerMethodNames == [former])
    }

    @Test("the former name of each renamed method of the public API permits the method")
    func formerPublicNames() throws {
        let renamed = [
            "Auth/Refresh": "Auth/RefreshSession",
            "ProviderNotices/DescribeOutcome": "ProviderNotices/DescribeProviderOutcome",
            "ProviderNotices/Receive": "ProviderNotices/ReceiveProviderNotice",
            "SignInMethods/ListMethods": "SignInMethods/ListSignInMethods",
            "Verification/KeySet": "Verification/GetKeySet",
            "Verification/WatchEnds": "Verification/WatchRevocations",
        ]
        for (former, current) in renamed {
            let list = try CallersList(text: "billing postern.gateway.v1.\(former)")
            let names = ["postern.gateway.v1.\(current)", "postern.gateway.v1.Auth/SignOut"]
            #expect(allowed(list.entries[0].methods, names) == [true, false])
            #expect(list.formerMethodNames == ["postern.gateway.v1.\(former)"])
        }
    }

    @Test("I-09: a caller without a list of methods may not call those for named callers only")
    func namedOnly() throws {
        let names = ["a.v1.B/Get", "a.v1.Admin/Stop", "a.v1.Admin/Read"]
        func allowed(_ patterns: [MethodPattern]?) -> [Bool] {
            let permissions = MethodPermissions(
                patterns, of: names, namedOnly: ["a.v1.Admin/Stop", "a.v1.Admin/Read"])
            return names.indices.map(permissions.allows)
        }
        #expect(allowed(nil) == [true, false, false])
        #expect(allowed([]) == [false, false, false])
        #expect(allowed([try #require(MethodPattern("a.v1.Admin/*"))]) == [false, true, true])
        #expect(allowed([try #require(MethodPattern("a.v1.Admin/Read"))]) == [false, false, true])
        #expect(allowed([try #require(MethodPattern("a.v1.B/*"))]) == [true, false, false])
        #expect(allowed([.everything]) == [true, true, true])
    }

    @Test("I-09: no line of a callers file permits everything")
    func noWordForEverything() {
        #expect(throws: CallersList.ParseError.self) { try CallersList(text: "tool everything") }
    }

    @Test("X-03: public-methods permits the methods with the option public, and health")
    func publicMethods() throws {
        let list = try CallersList(text: "web client-address application-tokens public-methods\n")
        #expect(list.entries.map(\.mayCarryTokens) == [true])
        #expect(list.entries[0].methods == [.publicMethods])
        let names = ["a.v1.B/Get", "a.v1.Admin/Stop", "postern.health.v1.Health/Check"]
        let permissions = MethodPermissions(
            list.entries[0].methods, of: names, namedOnly: ["a.v1.Admin/Stop"],
            publicNames: ["a.v1.B/Get"])
        #expect(names.indices.map(permissions.allows) == [true, false, true])
        #expect(allowed(list.entries[0].methods, names) == [false, false, true])
        #expect(try CallersList(text: "web a.v1.B/Get").entries.map(\.mayCarryTokens) == [false])
    }

    private func allowed(_ patterns: [MethodPattern]?, _ names: [String]) -> [Bool] {
        let permissions = MethodPermissions(patterns, of: names)
        return names.indices.map(permissions.allows)
    }
}
