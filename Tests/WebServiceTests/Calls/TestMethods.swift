import TestSupport

@testable import WebService

/// The methods that clients can call.
enum TestMethods {
    /// All methods, of a program that serves.
    static var all: CallMethods {
        get throws { try CallMethods(isServing: { true }, time: ManualTime()) }
    }
}
