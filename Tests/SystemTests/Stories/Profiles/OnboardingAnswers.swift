import Foundation

/// What a person answers on the 22 screens of the example of a rules file (D4 3.2).
enum OnboardingAnswers {
    /// The example in the checkout.
    static let rulesFile: String = {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        return here.appending(path: "../../../../docker/rules.example.yaml")
            .standardizedFileURL.path
    }()

    /// The name that the first screen asks for, which becomes the display name.
    static let name = "Ada"

    /// The profile that follows from them, without what is optional.
    static let profile = #"""
        {"name":"Ada","age":36,"biologicalSex":"female","weightKG":61.5,"heightCM":168,
        "activityLevel":"moderate","exerciseFrequency":3}
        """#

    /// The sections in their order, with answers to everything that is required.
    static let sections: [(name: String, json: String)] = [
        (
            "get-started",
            #"""
            {"name":"Ada","age":36,"biologicalSex":"female","currentWeight":61.5,"height":168,
            "activityLevel":"moderate","exerciseFrequency":3}
            """#
        ),
        ("your-goals", #"{"primaryGoal":"maintain"}"#),
        ("lifestyle", #"{"wakeTime":"07:00","bedtime":"23:00","dietType":"vegetarian"}"#),
        ("training", #"{"workoutsPerWeek":3,"workoutDays":["mon","wed","sat"]}"#),
        (
            "review",
            #"""
            {"notificationSettings":{"meals":true},"dailyCalorieTarget":2100,
            "macroTargets":{"proteinGrams":120,"carbohydrateGrams":240,"fatGrams":70}}
            """#
        ),
    ]
}
